"""Speculative decoding of a kind that the model class does not take.

## Why

Some classes of SGLang verify drafts of certain algorithms only, as single chains.

## Fix

Use the algorithm and `--speculative-eagle-topk 1` that the message names.

## References

- SGLang 0.5.23 `arg_groups/deepseek_v4_hook.py:149`; `arg_groups/model_overrides/iquest_q1.py`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import classes
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import first_class, refuse, sglang_rule

NAME = "speculative_algorithm"
TAKES = {
    "DeepseekV4ForCausalLM": ("EAGLE", "DSPARK"),
    **dict.fromkeys(classes.IQUEST, ("EAGLE", "NEXTN", "eagle", "nextn")),
}
"""Algorithms by class, spelled as they are compared."""


@sglang_rule("ENG311", "class-takes-drafts", source="deepseek_v4_hook.py:149")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the algorithm as it was written, before aliases are resolved."""
    held, name = view.after("memory.budget"), first_class(view) or ""
    algorithm, top_k = held.speculative_algorithm, held.speculative_eagle_topk
    if name not in TAKES or algorithm is None:
        return
    if algorithm not in TAKES[name]:
        message = f"{name} does not take speculative-algorithm {algorithm}"
        yield refuse(view, NAME, message, f"use {' or '.join(TAKES[name][:2])}")
    elif name == "DeepseekV4ForCausalLM" and algorithm == "EAGLE" and top_k != 1:
        message = f"{name} needs speculative-eagle-topk 1 with EAGLE, not {top_k or 'the default'}"
        yield refuse(view, "speculative_eagle_topk", message, "add speculative-eagle-topk 1")
    elif name in classes.IQUEST and (top_k or 1) > 1:
        message = f"{name} needs speculative-eagle-topk 1, not {top_k}"
        yield refuse(view, "speculative_eagle_topk", message, "use speculative-eagle-topk 1")
