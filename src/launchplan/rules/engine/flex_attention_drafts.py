"""Speculative decoding on the flex attention backend.

## Why

PyTorch's flex attention is a reference backend of SGLang, without the verification of drafts.

## Fix

Leave `--attention-backend` out.

## References

- SGLang 0.5.23 `arg_groups/attention_hook.py:161`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule("ENG303", "flex-attention-drafts", source="attention_hook.py:161")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for drafts on that backend."""
    held = view.after("attention.backends")
    if held.attention_backend == "flex_attention" and held.speculative_algorithm is not None:
        message = "attention-backend flex_attention does not do speculative decoding"
        yield refuse(view, "attention_backend", message, "leave attention-backend out")
