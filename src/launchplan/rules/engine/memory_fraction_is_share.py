"""A memory fraction that is no share of the GPU.

## Why

`--mem-fraction-static` is the share of the GPU's memory for weights and KV cache. SGLang compares it with
nothing: 85 asks for 85 GPUs' memory and runs out of it, 0 leaves none for the cache.

## Fix

Use a share such as 0.85.

## References

- SGLang 0.5.23 `mem_cache/kv_cache_configurator.py:3043` (the only check); `arg_groups/memory_hook.py`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import sglang_rule

NAME = "mem_fraction_static"
PERCENT = 100


@sglang_rule(
    "ENG380", "memory-fraction-is-share", source="../mem_cache/kv_cache_configurator.py:3043", at="worker"
)
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the fraction with 0 and 1."""
    share = view.arguments[NAME]
    if share is None or 0 < share < 1:
        return
    meant = share / PERCENT if 1 < share < PERCENT else 0.85
    message = f"mem-fraction-static is {share:g}, a share between 0 and 1 is meant"
    fix = f"use mem-fraction-static {meant:g}"
    yield Violation(message, view.path(NAME), fix, at="worker" if share <= 0 else "run")
