"""A 16-bit KV cache of another type than the model's.

## Why

vLLM takes `float16` or `bfloat16` for the KV cache only when the model computes in that type.

## Fix

Leave `kv_cache_dtype` out: the model's type is the default.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:1505`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.resolve import ResolvedPool
from launchplan.rules.formats.names import kv_cache_dtype
from launchplan.rules.given import serve_value
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.vllm import settled

SAME = {"half": "float16", "float16": "float16", "bfloat16": "bfloat16"}


@rule(
    "QNT105",
    "kv-dtype-matches",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/config/vllm.py:1505 (0.33.0)",
    at="config",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare a 16-bit cache with the type that the model computes in."""
    known, pool = settled(view), view.pool
    name = known.settings.kv_cache_dtype if known else kv_cache_dtype(pool)
    dtype = known.settings.dtype if known else model_dtype(pool)
    if name not in SAME or dtype is None or SAME[name] == dtype:
        return
    _, path = serve_value(pool, "kv_cache_dtype")
    yield Violation(f"kv_cache_dtype {name} is not the model's {dtype}", path, "leave it out, or use auto")


def model_dtype(pool: ResolvedPool) -> str | None:
    """Give the 16-bit type that the model computes in, None when it is not known to be one."""
    given, _ = serve_value(pool, "dtype")
    if isinstance(given, str) and given != "auto":
        return SAME.get(given)
    return SAME.get(pool.architecture.dtype or "") if pool.architecture else None
