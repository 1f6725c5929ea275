"""A KV cache format that no attention backend reads for this model.

## Why

vLLM's parser knows more formats than each model's attention has. `fp8_ds_mla` is the packed cache of DeepSeek
sparse attention alone; `fp8_e5m2` is none for latent attention, nor beside FP8 weights; `nvfp4` is none for
latent attention. Most of it comes out in the worker, when it finds no backend.

## Fix

Use `fp8`, or leave `kv_cache_dtype` out.

## References

- vLLM 0.33.0 `vllm/platforms/cuda.py:472`, `vllm/config/vllm.py:3432`,
  `model_executor/layers/attention/attention.py:218`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.architecture import Architecture
from launchplan.resolve import ResolvedPool
from launchplan.rules.formats.names import kv_cache_dtype
from launchplan.rules.given import quantization, serve_value
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "QNT106",
    "kv-dtype-has-backend",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/platforms/cuda.py:472, vllm/config/vllm.py:3432 (0.33.0)",
    at="worker",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the format with the model's attention."""
    name, model = kv_cache_dtype(pool), pool.architecture
    if name is None or model is None or not model.known or pool.gpu is None or pool.gpu.vendor != "nvidia":
        return
    stored = quantization(pool.deployment)
    problem = _problem(name, model, stored.method if stored else None)
    if problem is not None:
        _, path = serve_value(pool, "kv_cache_dtype")
        yield Violation(f"kv_cache_dtype {name} {problem}", path, "use fp8, or leave it out")


def _problem(name: str, model: Architecture, method: str | None) -> str | None:
    if name == "fp8_ds_mla" and not model.sparse_indexer:
        return "is for DeepSeek sparse attention, which this model has not"
    if name == "nvfp4" and model.is_mla:
        return "is not read by latent attention"
    if name == "fp8_e5m2" and model.is_mla:
        return "is not read by latent attention"
    if name == "fp8_e5m2" and method == "fp8":
        return "does not go with an FP8 checkpoint"
    return None
