"""Two-batch overlap with nothing to overlap.

## Why

`--enable-two-batch-overlap` hides the exchange of one half batch behind the computing of the other. Without
an all-to-all backend there is an exchange only under attention data parallelism; SGLang refuses it otherwise.

## Fix

Set `moe-a2a-backend`, or attention data parallelism, or remove `enable-two-batch-overlap`.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:768`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import joins_attention_dp, refuse, sglang_rule


@sglang_rule("ENG358", "two-batch-overlap-splits", source="validation_hook.py:768")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for the exchange that is to be hidden."""
    held = view.settings
    alone = held.moe_a2a_backend == "none" and not joins_attention_dp(view)
    if view.arguments["enable_two_batch_overlap"] and alone:
        message = "enable-two-batch-overlap needs a moe-a2a-backend or attention data parallelism"
        fix = "use moe-a2a-backend deepep, or remove enable-two-batch-overlap"
        yield refuse(view, "enable_two_batch_overlap", message, fix)
