"""An attention backend that is made for another vendor's GPUs, or for other models.

## Why

Any name of the registry is taken by the arguments. The workers then ask the backend itself: those of AITER,
segmented and octave attention want an AMD GPU, FlashInfer's, FlashMLA's and CUTLASS's an NVIDIA one, some
serve vision encoders or DeepSeek-V4 only, and none serves latent attention and the other kind alike.
`ROCM_ATTN` is no such case: its Triton kernels are built on NVIDIA GPUs, too.

## Fix

Leave `--attention-backend` out: vLLM takes the best one that fits.

## References

- vLLM 0.33.0 `vllm/platforms/cuda.py:438`, `:443`, `vllm/platforms/rocm.py:824`,
  `vllm/v1/attention/backends/registry.py:215`, `vllm/v1/attention/backends/mla/rocm_aiter_mla.py:2283`,
  `vllm/v1/attention/backends/rocm_aiter_unified_attn.py:187`, `vllm/v1/attention/ops/flashmla.py:33`,
  `vllm/v1/attention/backends/fa_utils.py:325`, `vllm/v1/attention/backends/flashinfer.py:12`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.architecture import Architecture
from launchplan.catalog import Gpu
from launchplan.engines.vllm.attention_table import BACKENDS
from launchplan.engines.vllm.layers import OWN_BACKENDS, SINKS, SPARSE, asked_backend, kv_cache_dtype
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

AMD_ONLY = frozenset({
    "ROCM_SEGMENTED_ATTN", "ROCM_AITER_FA", "ROCM_AITER_UNIFIED_ATTN", "ROCM_OCTAVE", "ROCM_AITER_MLA",
    "ROCM_AITER_TRITON_MLA",
})  # fmt: skip
NVIDIA_ONLY = frozenset({
    "FLASHINFER", "TRITON_FLASHINFER", "FLASHINFER_MLA", "FLASHINFER_MLA_SPARSE", "TOKENSPEED_MLA",
    "FLASHINFER_MLA_SPARSE_SM90", "CUTLASS_MLA", "FLASHMLA", "FLASH_ATTN_MLA", "HPC_ATTN",
})  # fmt: skip
DENSE = frozenset({
    "FLASH_ATTN_DIFFKV", "TRITON_ATTN_DIFFKV", "ROCM_ATTN", "CPU_ATTN", "ROCM_SEGMENTED_ATTN",
    "ROCM_AITER_FA", "ROCM_AITER_UNIFIED_ATTN", "ROCM_OCTAVE", "ULTRAQUANT",
})  # fmt: skip
"""Backends beside the table's that serve no latent attention."""
LATENT = frozenset({"ROCM_AITER_MLA", "ROCM_AITER_TRITON_MLA", "CPU_MLA", "AMX_MLA"})
SPARSE_LATENT = frozenset({"ROCM_AITER_MLA_SPARSE", "XPU_MLA_SPARSE"})
V4 = frozenset({
    "FLASHMLA_SPARSE_DSV4", "FLASHINFER_MLA_SPARSE_DSV4", "ROCM_FLASHMLA_SPARSE_DSV4",
    "FLASHMLA_SPARSE_DSV41", "FLASHINFER_MLA_SPARSE_DSV41", "ROCM_FLASHMLA_SPARSE_DSV41",
    "FLASHMLA_MEGA_ATTN_DSV41",
})  # fmt: skip

NEVER = {"TORCH_SDPA": "is for vision encoders only", "NO_ATTENTION": "stands for models without attention"}


@vllm_rule(
    "ENG409",
    "attention-backend-elsewhere",
    source="platforms/cuda.py:443",
    at="worker",
    about=("attention_backend", "attention_config"),
)
def check(view: VllmView) -> Iterator[Violation]:
    """Look for what a named backend is made for."""
    name, model, gpu = asked_backend(view), view.architecture, view.gpu
    if name is None or model is None or gpu is None or not model.known:
        return
    if gpu.vendor not in {"nvidia", "amd"} or model.family in OWN_BACKENDS or view.env_on("VLLM_MLA_DISABLE"):
        return
    lacks = _vendor(name, gpu) or _kind(view, name, model, known=gpu.vendor == "nvidia")
    if lacks is not None:
        yield refuse(view, "attention_backend", f"attention backend {name} {lacks}", "leave it out")


def _vendor(name: str, gpu: Gpu) -> str | None:
    if gpu.vendor == "nvidia" and name in AMD_ONLY:
        return f"is for AMD GPUs, not for {gpu.id}"
    return f"is for NVIDIA GPUs, not for {gpu.id}" if gpu.vendor == "amd" and name in NVIDIA_ONLY else None


def _kind(view: VllmView, name: str, model: Architecture, *, known: bool) -> str | None:
    """Compare the kinds of attention; `known` tells that another rule asks the table's backends for more."""
    listed = None if known else BACKENDS.get(name)
    latent = name in LATENT | SPARSE_LATENT or (listed is not None and listed.mla)
    sparse = name in SPARSE_LATENT or (listed is not None and listed.sparse)
    dense = name in DENSE or (listed is not None and not listed.mla)
    if name in NEVER or name in V4:
        return NEVER.get(name, "is for DeepSeek-V4 only")
    if latent and not model.is_mla:
        return "serves latent attention only, which the model does not have"
    if dense and model.is_mla:
        return "does not serve latent attention"
    if latent and sparse != (model.family in SPARSE):
        return f"serves {'sparse' if sparse else 'no sparse'} attention{' only' if sparse else ''}"
    sinks = name == "ROCM_ATTN" and model.family in SINKS
    plain = name == "ULTRAQUANT" and kv_cache_dtype(view) != "ultraquant_4bit"
    return "has no attention sinks" if sinks else "needs kv-cache-dtype ultraquant_4bit" if plain else None
