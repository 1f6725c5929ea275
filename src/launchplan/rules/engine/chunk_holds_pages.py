"""A prefill chunk that does not end at a page.

## Why

A chunk of a long prompt is written in whole pages of the KV cache. SGLang divides the chunk by the attention
groups first, and picks a page size by attention backend, so that the numbers compared may be its own.

## Fix

Use a multiple of the page size.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:244`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule("ENG367", "chunk-holds-pages", source="validation_hook.py:244")
def check(view: SglangView) -> Iterator[Violation]:
    """Divide the chunk by the page."""
    held = view.settings
    chunk, page = held.chunked_prefill_size, held.page_size
    if (
        not held.complete
        or chunk is None
        or chunk <= 0
        or held.disaggregation_mode == "decode"
        or page is None
    ):
        return
    if page == 0:
        yield refuse(view, "page_size", "page-size is 0, 1 is the least", "leave page-size out")
    elif chunk % page:
        name = "chunked_prefill_size" if "chunked_prefill_size" in view.arguments else "page_size"
        own = "" if "page_size" in view.arguments else " (SGLang's choice for this backend)"
        message = f"chunked-prefill-size {chunk} is no multiple of page size {page}{own}"
        groups = max(held.attn_dp_size, 1)
        size = max(chunk // page, 1) * page * groups
        yield refuse(view, name, message, f"use chunked-prefill-size {size}")
