"""A KV cache format that this engine version does not have.

## Why

vLLM's parser takes any name and its configuration refuses an unknown one; SGLang's parser refuses it. The
names differ: SGLang has no plain `fp8`, for which launchplan writes `fp8_e4m3`.

## Fix

Use a name of this version.

## References

- vLLM 0.33.0 `vllm/config/cache.py:472`
- SGLang 0.5.23 choices of `--kv-cache-dtype`
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from launchplan.engines.sglang.build import KV_CACHE_DTYPES
from launchplan.resolve import ResolvedPool
from launchplan.rules.flag_names import missing_name, names_of
from launchplan.rules.given import serve_value
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import shown
from launchplan.units import choice_text

FLAG = "--kv-cache-dtype"


@rule(
    "QNT104",
    "kv-dtype-known",
    severity=ERROR,
    source={
        "vllm": "vllm/config/cache.py:472 (0.33.0)",
        "sglang": "choices of --kv-cache-dtype (0.5.23)",
    },
    at={"vllm": "config", "sglang": "parse"},
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look the name up among those of this version."""
    value, path = serve_value(pool, "kv_cache_dtype")
    if not isinstance(value, str):
        return
    name = value
    if pool.deployment.engine == "sglang" and pool.serve.kv_cache_dtype is not None:
        name = KV_CACHE_DTYPES.get(value, value)
    if not missing_name(pool.deployment, FLAG, name):
        return
    known = names_of(pool.deployment, FLAG)
    near = get_close_matches(value, known, n=1)
    fix = f"did you mean '{near[0]}'?" if near else f"use {choice_text(known[:8])}"
    yield Violation(
        f"kv_cache_dtype {shown(value)} is no format of {pool.deployment.engine_label}", path, fix
    )
