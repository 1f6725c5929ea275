"""A page size that SGLang changes by itself.

## Why

Many attention backends work with pages of one size or a few. SGLang then takes another page size than the
one it was told, and says so in its log only. Routers and prefill/decode partners that were told the first
one disagree.

## Fix

Give the size that it takes, or leave `page-size` out.

## References

- SGLang 0.5.23 `arg_groups/attention_hook.py`, `arg_groups/overrides.py` (page sizes by backend);
  https://github.com/ai-dynamo/dynamo/pull/13216
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import WARNING, Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule("ENG378", "page-size-kept", source="attention_hook.py", at="run", severity=WARNING)
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the page size that was asked for with the one in force."""
    held, asked = view.settings, view.arguments["page_size"]
    if not held.complete or asked is None or asked < 1 or held.page_size in (None, asked):
        return
    backend = held.prefill_backend
    message = f"page-size {asked} becomes {held.page_size} with attention backend {backend}"
    yield refuse(view, "page_size", message, f"use page-size {held.page_size}, or leave it out")
