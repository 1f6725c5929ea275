"""An FP8 KV cache on ROCm that nobody has confirmed.

## Why

On AMD GPUs an FP8 KV cache depends on the build, the attention backend and the GPU's FP8 variant. The
documented advice is not to assume it: serve with the default first, and switch it on after it was confirmed
on the very build that is deployed. Recipes for MI355X leave the flag out for that reason.

A recipe with documented or verified evidence is not warned, nor one whose checkpoint says itself that its KV
cache is FP8.

## Fix

Leave `kv_cache_dtype` out. After a run that confirmed it, say so: `evidence: {status: verified}`.

## References

- "Deploying Qwen3.8-2.4T-A95B with vLLM: Verified GPU Pods, Quants, and Serving Recipes" (2026-08-15)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.formats.names import kv_cache_dtype
from launchplan.rules.given import evidenced, quantization, serve_value
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.wording import cut


@rule(
    "QNT103",
    "fp8-kv-on-rocm",
    severity=WARNING,
    source="Deploying Qwen3.8-2.4T-A95B with vLLM (dev.to, 2026-08-15)",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look for an FP8 KV cache on an AMD GPU."""
    name = kv_cache_dtype(pool)
    if pool.gpu is None or pool.gpu.vendor != "amd" or name is None or not name.startswith("fp8"):
        return
    stored = quantization(pool.deployment)
    own = (stored.kv_cache_quant_algo or "").lower() if stored else ""
    if evidenced(pool.deployment) or own.startswith("fp8"):
        return
    message = f"kv_cache_dtype {cut(name)} is not to be assumed on ROCm ({pool.gpu.id})"
    _, path = serve_value(pool, "kv_cache_dtype")
    yield Violation(message, path, "leave it out until it was confirmed on this build")
