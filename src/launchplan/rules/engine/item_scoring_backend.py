"""Scoring of several items at once on another backend than FlashInfer.

## Why

`--enable-mis` masks items from each other, which FlashInfer's attention alone does in SGLang.

## Fix

Add `--attention-backend flashinfer`.

## References

- SGLang 0.5.23 `arg_groups/attention_hook.py:572`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule("ENG313", "item-scoring-backend", source="attention_hook.py:572")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare both phases' backends with FlashInfer."""
    held = view.after("attention.item_scoring")
    if view.given is None or not view.arguments["enable_mis"]:
        return
    other = next((each for each in (held.prefill_backend, held.decode_backend) if each != "flashinfer"), None)
    if other is not None:
        message = f"enable-mis needs attention backend flashinfer, not {other}"
        yield refuse(view, "enable_mis", message, "add attention-backend flashinfer")
