"""A plain NVFP4 cache for latent attention.

## Why

`nvfp4` packs the keys and values of heads; latent attention caches one vector without heads. Sparse latent
attention has a layout of its own, `nvfp4_ds_mla`.

## Fix

Use `fp8`, or `nvfp4_ds_mla` on a model with sparse attention.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:3432`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("QNT205", "nvfp4-cache-of-latents", source="config/vllm.py:3432")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the cache with the attention."""
    name = view.settings.kv_cache_dtype
    if name is None or not view.settings.model.use_mla:
        return
    if name.startswith("nvfp4") and not name.endswith("_ds_mla"):
        message = f"kv_cache_dtype {name} packs heads, latent attention caches none"
        yield refuse(view, "kv_cache_dtype", message, "use fp8, or leave it out")
