"""Adapters for a model, a kernel or a store that does not take them.

## Why

A model class must name the layers that adapters change; not all do. MoE kernels that run experts and
exchange in one have no place for adapters, and the store in host memory is at least as large as a batch's.

## Fix

Remove `--enable-lora`, or raise `--max-cpu-loras` to `--max-loras`.

## References

- vLLM 0.33.0 `vllm/config/lora.py:124`, `:137`, `:150`, `vllm/engine/arg_utils.py:2693`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, mapping, on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

FUSED = frozenset({
    "deep_gemm_mega_moe", "flashinfer_moe_ep_cutedsl", "flashinfer_moe_ep_mega_deep_gemm", "aiter_mega_moe",
})  # fmt: skip


@vllm_rule("ENG209", "lora-supported", source="config/lora.py:150")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at class, kernel and store."""
    model = view.settings.model
    if mapping(view, "default_mm_loras") and model.multimodal is False:
        message = f"default-mm-loras, but {model.name} is not multimodal"
        yield refuse(view, "default_mm_loras", message, "remove it", source="engine/arg_utils.py:2693")
    if not on(view, "enable_lora"):
        return
    kept, most = count(view, "max_cpu_loras", 1), count(view, "max_loras", 1) or 1
    if kept is not None and kept < most:
        message = f"max-cpu-loras {kept} is below max-loras {most}"
        yield refuse(view, "max_cpu_loras", message, f"use {most} or more", source="config/lora.py:124")
    elif view.settings.moe_backend in FUSED:
        message = f"moe-backend {view.settings.moe_backend} takes no adapters"
        yield refuse(view, "moe_backend", message, "leave it out", source="config/lora.py:137")
    elif model.supports("lora") is False and not model.pooling:
        yield refuse(view, "enable_lora", f"{model.name} takes no adapters", "remove enable-lora")
