"""Which sizes vLLM's kernels of the routed experts round up when the parameters are made.

vLLM 0.33.0 model_executor/layers/fused_moe/oracle/{unquantized,fp8,mxfp4}.py choose the kernel and round;
NVFP4 and int4 experts are made in their own sizes and padded after loading.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from launchplan.memory.loading import ExpertKernel

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.architecture.types import Format

_TRTLLM = ExpertKernel(width_step=128, hidden_step=256)
_SQUARE = ExpertKernel(width_step=128, hidden_step=128)
_NARROW = ExpertKernel(width_step=64)
_BY_MXFP4_BACKEND = {
    "flashinfer_trtllm": _TRTLLM,
    "flashinfer_trtllm_afp8": _TRTLLM,
    "marlin": _TRTLLM,
    "flashinfer_cutlass": _SQUARE,
    "flashinfer_cutlass_afp8": _SQUARE,
    "deep_gemm": _SQUARE,
    "b12x": ExpertKernel(),
    "emulation": ExpertKernel(width_step=32, hidden_step=32),
}
# Activations that the TensorRT-LLM kernels of 16-bit experts know.
_TRTLLM_FAMILIES_WITHOUT = frozenset({"gpt_oss", "gemma4", "minimax_m3"})
_BLOCK = 128
# models/kimi_k3/nvidia/model.py:421, the default of min_moe_intermediate_per_partition.
_KIMI_LEAST_WIDTH = 256
_DATACENTER_BLACKWELL = 10
_HOPPER = 9


def expert_kernel(
    model: Architecture, capability: tuple[int, int] | None, backend: str, width: int
) -> ExpertKernel:
    """Choose the rounding for the experts of a model; `width` is that of a rank's part of one."""
    format_ = _expert_format(model)
    if format_ == "none":
        return _unquantized(model, capability, backend)
    if format_ == "fp8":
        return _fp8(model, backend, width)
    if format_ == "mxfp4":
        kernel = _mxfp4(model, capability, backend)
        return replace(kernel, least_width=_KIMI_LEAST_WIDTH) if _pads_parts(model, width) else kernel
    return ExpertKernel()


def shared_expert_kernel(model: Architecture) -> ExpertKernel:
    """Pad the shared expert of DeepSeek V4 to whole fp8 blocks."""
    blocks = model.quantization.weight_block_size
    return ExpertKernel(width_step=_BLOCK) if model.family == "deepseek_v4" and blocks else ExpertKernel()


def _expert_format(model: Architecture) -> Format:
    return model.quantization.format or "none"


def _pads_parts(model: Architecture, width: int) -> bool:
    """Say whether Kimi-K3 widens the parts of an expert that tensor parallelism cut too small."""
    whole = model.moe.intermediate_size if model.moe else None
    return model.family == "kimi_linear" and model.is_multimodal and width != whole


def _unquantized(model: Architecture, capability: tuple[int, int] | None, backend: str) -> ExpertKernel:
    """Pick TensorRT-LLM on data-centre Blackwell, whatever the parallel layout: unquantized.py:52."""
    automatic = backend in {"auto", "humming", "marlin"}
    known = model.family not in _TRTLLM_FAMILIES_WITHOUT
    blackwell = capability is not None and capability[0] == _DATACENTER_BLACKWELL
    if backend == "flashinfer_trtllm" or (automatic and blackwell and known):
        return ExpertKernel(width_step=128)
    return ExpertKernel()


def _fp8(model: Architecture, backend: str, width: int) -> ExpertKernel:
    """Refine the blocks that a part cuts, or pad the part where a named kernel cannot: fp8.py:341."""
    if model.quantization.weight_block_size is None:
        return ExpertKernel()
    if backend in {"auto", "triton", "batched_triton"} or width % _BLOCK == 0:
        return ExpertKernel(refines_blocks=True)
    return ExpertKernel(width_step=_BLOCK)


def _mxfp4(model: Architecture, capability: tuple[int, int] | None, backend: str) -> ExpertKernel:
    """Round as the kernel does that is named, or else chosen for the GPU: mxfp4.py:843."""
    if backend != "auto":
        return _BY_MXFP4_BACKEND.get(backend, _NARROW)
    if capability is None:
        return _SQUARE
    if capability[0] == _HOPPER:
        return _NARROW
    if capability[0] == _DATACENTER_BLACKWELL:
        return _TRTLLM
    # Consumer Blackwell runs DeepGEMM except for gpt-oss, which goes to Marlin as older GPUs do.
    return _SQUARE if capability[0] > _DATACENTER_BLACKWELL and model.family != "gpt_oss" else _TRTLLM
