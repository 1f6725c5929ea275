"""A KV cache format that SGLang does not run on this GPU.

## Why

SGLang accepts `nvfp4` and `mxfp8` caches on Blackwell only, and refuses them elsewhere when it resolves its
arguments.

## Fix

Use `fp8_e4m3`, or leave `kv_cache_dtype` out.

## References

- SGLang 0.5.23 `arg_groups/kv_cache_hook.py:106`, `:128`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.formats.kv_dtype_of_sparse_model import formats
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

BLACKWELL = {"nvfp4": (10, 12), "mxfp8": (10, 11, 12)}
"""Compute capability majors by format."""


@sglang_rule("QNT108", "kv-dtype-needs-gpu", source="kv_cache_hook.py:106")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the format with the GPU."""
    given, name = view.given, view.settings.kv_cache_dtype
    if given is None or formats(given) is not None:
        return
    if given.major not in BLACKWELL.get(name, (given.major,)):
        has = f"{given.capability[0]}.{given.capability[1]}"
        message = f"kv_cache_dtype {name} needs a Blackwell GPU on sglang; {view.gpu_id} has {has}"
        yield refuse(view, "kv_cache_dtype", message, "use fp8_e4m3, or leave it out")
