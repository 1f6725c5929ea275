"""Which sizes SGLang's kernels of the routed experts round up when the parameters are made.

SGLang 0.5.23 layers/moe/fused_moe_triton/layer.py:516 and layers/quantization/{mxfp4,fp8,modelopt_quant}.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.loading import ExpertKernel

if TYPE_CHECKING:
    from launchplan.architecture import Architecture

_DATACENTER_BLACKWELL = 10
# Two 32-bit tensors of positions: compressed_tensors_wNa16_moe.
_INDEX_BYTES = 8
_FLASHINFER = ExpertKernel(width_step=128, hidden_step=256)


def expert_kernel(
    model: Architecture, capability: tuple[int, int] | None, quantization: str | None
) -> ExpertKernel:
    """Choose the rounding for the experts of a model, with the kernel left to SGLang."""
    blackwell = capability is not None and capability[0] == _DATACENTER_BLACKWELL
    format_ = model.quantization.format
    online = quantization == "modelopt_fp4" and format_ == "fp8"
    if format_ == "nvfp4" or online:
        # Only the TensorRT-LLM kernel, taken for this format on Blackwell, has one copy of the scales.
        known = quantization is None or quantization.startswith("modelopt")
        return ExpertKernel(width_step=64, scale_copies=1 if blackwell and known else 2)
    if format_ == "int4":
        return ExpertKernel(index_bytes=0 if blackwell else _INDEX_BYTES)
    if format_ == "fp8" and model.quantization.weight_block_size is not None:
        return ExpertKernel(width_step=128 if blackwell else 1)
    if format_ == "mxfp4" and model.family == "deepseek_v4":
        # Scales are kept in 32 bits where the kernel wants to pack them itself.
        return ExpertKernel(scale_bytes=4 if blackwell else 1)
    if format_ == "mxfp4":
        return _FLASHINFER if blackwell else ExpertKernel(width_step=1)
    return ExpertKernel()
