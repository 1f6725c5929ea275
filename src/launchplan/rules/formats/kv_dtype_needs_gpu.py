"""A KV cache format that SGLang does not run on this GPU or model.

## Why

SGLang accepts `nvfp4` and `mxfp8` caches on Blackwell only, and for DeepSeek sparse attention no other format
than `bfloat16` and `fp8_e4m3`. It refuses the rest when it resolves its arguments.

## Fix

Use `fp8_e4m3`, or leave `kv_cache_dtype` out.

## References

- SGLang 0.5.23 `arg_groups/kv_cache_hook.py:106`, `:128`, `arg_groups/overrides.py:541`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.flag_names import names_of
from launchplan.rules.formats.names import kv_cache_dtype
from launchplan.rules.given import serve_value
from launchplan.rules.rule import ERROR, Violation, rule

FAMILY = "deepseek_sparse"
BLACKWELL_ONLY = frozenset({"nvfp4", "mxfp8"})
BLACKWELL = (10, 12)
SPARSE = frozenset({"bf16", "bfloat16", "fp8_e4m3", "fp8"})
"""What sparse attention takes; launchplan writes `fp8` as `fp8_e4m3`."""


@rule(
    "QNT108",
    "kv-dtype-needs-gpu",
    severity=ERROR,
    engines=("sglang",),
    since={"sglang": "0.5.23"},
    source="sglang/srt/arg_groups/kv_cache_hook.py:106, 128, overrides.py:541 (0.5.23)",
    at="config",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the format with the GPU and the model's attention."""
    name = kv_cache_dtype(pool)
    if name is None:
        return
    _, path = serve_value(pool, "kv_cache_dtype")
    capability = pool.gpu.capability if pool.gpu else None
    if pool.gpu and name in BLACKWELL_ONLY and capability and capability[0] not in BLACKWELL:
        has = f"{capability[0]}.{capability[1]}"
        message = f"kv_cache_dtype {name} needs a Blackwell GPU on sglang; {pool.gpu.id} has {has}"
        yield Violation(message, path, "use fp8_e4m3, or leave it out")
    elif (
        pool.architecture
        and pool.architecture.family == FAMILY
        and name not in SPARSE
        and _is_known(pool, name)
    ):
        message = f"kv_cache_dtype {name} is not read by sparse attention on sglang"
        yield Violation(message, path, "use bfloat16 or fp8_e4m3")


def _is_known(pool: ResolvedPool, name: str) -> bool:
    return name in names_of(pool.deployment, "--kv-cache-dtype")
