"""Decode context parallelism with sparse attention and a 16-bit KV cache on Hopper.

## Why

On Hopper vLLM runs DeepSeek sparse attention (DeepSeek-V3.2, GLM-5) with FlashMLA, whose decode context
parallelism reads the packed FP8 cache only. The worker refuses the 16-bit one, which is the default.

## Fix

Set `kv_cache_dtype: fp8_ds_mla`, or leave `dcp` out.

## References

- vLLM 0.33.0 `vllm/v1/attention/backends/mla/flashmla_sparse.py:787`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.formats.names import kv_cache_dtype
from launchplan.rules.given import quantization
from launchplan.rules.rule import ERROR, Violation, rule

FAMILY = "deepseek_sparse"
HOPPER = 9
SIXTEEN_BIT = frozenset({"bfloat16", "float16"})


@rule(
    "PAR124",
    "sparse-dcp-needs-fp8",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/v1/attention/backends/mla/flashmla_sparse.py:787 (0.33.0)",
    at="worker",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look for a 16-bit cache that is shared by position."""
    capability = pool.gpu.capability if pool.gpu else None
    if pool.parallel.dcp == 1 or capability is None or capability[0] != HOPPER:
        return
    stored = quantization(pool.deployment)
    if pool.architecture is None or pool.architecture.family != FAMILY or stored is None:
        return
    name = kv_cache_dtype(pool)
    if name in SIXTEEN_BIT or (name is None and stored.kv_cache_quant_algo is None):
        message = f"dcp {pool.parallel.dcp} with sparse attention on Hopper needs the fp8_ds_mla KV cache"
        yield Violation(message, pool.path("parallel", "dcp"), "add 'kv_cache_dtype: fp8_ds_mla' to serve")
