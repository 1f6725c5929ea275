"""A window of the draft's attention that cannot be.

## Why

The draft may look at the last tokens and the first few ("sink") only. A sink without a window means nothing,
and DFLASH's window must hold the block that it drafts.

## Fix

Give `speculative-draft-window-size` of at least the draft tokens, or remove both.

## References

- SGLang 0.5.23 `arg_groups/speculative_hook.py:203`, `:224`, `:228`, `:430`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, refuse, sglang_rule


@sglang_rule("SPC308", "draft-window", source="speculative_hook.py:228")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare window, sink and draft tokens."""
    given, held = view.arguments, view.settings
    window, sink = given["speculative_draft_window_size"], given["speculative_draft_sink_size"]
    if window is not None and window <= 0:
        message = f"speculative-draft-window-size is {window}, 1 is the least"
        yield refuse(view, "speculative_draft_window_size", message, "remove it, or use 4096")
        return
    if sink is not None and sink < 0:
        message = f"speculative-draft-sink-size is {sink}, 0 is the least"
        yield refuse(view, "speculative_draft_sink_size", message, "remove speculative-draft-sink-size")
    elif sink is not None and window is None:
        message = "speculative-draft-sink-size needs speculative-draft-window-size"
        yield refuse(view, "speculative_draft_sink_size", message, "add speculative-draft-window-size 4096")
    block = held.speculative_num_draft_tokens
    if algorithm_of(view) == "DFLASH" and window is not None and block is not None and window < block:
        message = f"speculative-draft-window-size {window} is below the {block} tokens that DFLASH drafts"
        yield refuse(view, "speculative_draft_window_size", message, f"use {block} or more")
