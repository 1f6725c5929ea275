"""Expert backends that a draft model does not run with.

## Why

DeepEP v2 was not released for drafts, which inherit the target's exchange unless told otherwise; the LoRA
kernels serve adapters, and drafts have none.

## Fix

Give `speculative-moe-a2a-backend` and `speculative-moe-runner-backend` of their own, or none.

## References

- SGLang 0.5.23 `arg_groups/moe_hook.py:635`; `arg_groups/lora_hook.py:190`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, refuse, sglang_rule


@sglang_rule("SPC312", "draft-backends", source="moe_hook.py:635")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the draft's backends with what drafts run with."""
    held, own = view.settings, view.arguments["speculative_moe_a2a_backend"]
    drafts = algorithm_of(view) not in (None, "NGRAM")
    if own == "deepep_v2":
        message = "speculative-moe-a2a-backend deepep_v2 does not work for drafts"
        yield refuse(view, "speculative_moe_a2a_backend", message, "use speculative-moe-a2a-backend deepep")
    elif own is None and drafts and held.moe_a2a_backend == "deepep_v2":
        message = "the draft takes over moe-a2a-backend deepep_v2, which does not work for drafts"
        yield refuse(view, "moe_a2a_backend", message, "set speculative-moe-a2a-backend deepep")
    runner = view.arguments["speculative_moe_runner_backend"]
    if algorithm_of(view) is not None and runner is not None and runner.startswith("lora"):
        message = f"speculative-moe-runner-backend {runner} does not work for drafts, which have no adapters"
        yield refuse(view, "speculative_moe_runner_backend", message, "leave it out")
