"""Which MoE backends of vLLM 0.33.0 run which experts on which GPU.

The names per format are the tables `map_*_backend` of
`vllm/model_executor/layers/fused_moe/oracle/{fp8,nvfp4, mxfp4,unquantized}.py`; the GPUs are
`_supports_current_device` and `_supports_quant_scheme` of the classes in `fused_moe/experts/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from launchplan.architecture import Architecture, Quantization
from launchplan.engines.view import EngineView

Capability = tuple[int, int]
Gpus = tuple[tuple[Capability, Capability], ...]
"""Spans of compute capabilities, both ends included; empty: none of NVIDIA's."""

_MARLIN: Gpus = (((7, 5), (99, 9)),)
_HOPPER: Gpus = (((9, 0), (9, 0)),)
_TENSOR_MEMORY: Gpus = (((10, 0), (10, 9)),)
_DEEP_GEMM: Gpus = (*_HOPPER, *_TENSOR_MEMORY, ((12, 0), (12, 9)))
_CUTLASS: Gpus = _DEEP_GEMM
_FP8_UNITS: Gpus = (((8, 9), (99, 9)),)
_BLACKWELL: Gpus = (*_TENSOR_MEMORY, ((12, 0), (12, 9)))
_ANY: Gpus = (((0, 0), (99, 9)),)
_NONE: Gpus = ()


@dataclass(frozen=True, slots=True)
class Format:
    """A format of expert weights, and the backends that `--moe-backend` may name for it."""

    name: str
    backends: Mapping[str, Gpus | None]
    """GPUs by backend; None where packages decide that we don't see."""
    source: str


FORMATS = {
    "bf16": Format(
        "unquantized",
        {"triton": _ANY, "batched_triton": None, "flashinfer_trtllm": _TENSOR_MEMORY,
         "flashinfer_cutlass": _CUTLASS, "aiter": _NONE, "humming": _ANY, "marlin": _ANY},
        "oracle/unquantized.py:185",
    ),
    "fp8_block": Format(
        "block-scaled FP8",
        {"triton": _FP8_UNITS, "deep_gemm": _DEEP_GEMM, "cutlass": _NONE, "flashinfer_trtllm": _TENSOR_MEMORY,
         "flashinfer_cutlass": _HOPPER, "marlin": _MARLIN, "humming": _MARLIN, "aiter": _NONE, "hpc": None},
        "oracle/fp8.py:268, 452, 475",
    ),
    "nvfp4": Format(
        "NVFP4",
        {"cutlass": (((10, 0), (12, 9)),), "flashinfer_trtllm": _TENSOR_MEMORY,
         "flashinfer_cutlass": _BLACKWELL,
         "flashinfer_cutedsl": _TENSOR_MEMORY, "flashinfer_b12x": None, "b12x": None,
         "flashinfer_moe_ep_cutedsl": None, "marlin": _MARLIN, "humming": _MARLIN, "emulation": _FP8_UNITS},
        "oracle/nvfp4.py:169",
    ),
    "gpt_oss": Format(
        "GPT-OSS MXFP4",
        {"triton": (((9, 0), (12, 9)),), "triton_unfused": (((9, 0), (12, 9)),), "deep_gemm": _NONE,
         "flashinfer_trtllm": _TENSOR_MEMORY, "flashinfer_trtllm_afp8": _TENSOR_MEMORY,
         "flashinfer_cutlass": _HOPPER, "flashinfer_cutlass_afp8": _BLACKWELL, "marlin": _MARLIN,
         "humming": _MARLIN, "b12x": _NONE, "flashinfer_moe_ep_cutedsl": None,
         "flashinfer_moe_ep_mega_deep_gemm": None, "emulation": None, "aiter": _NONE,
         "aiter_triton_mxfp4_bf16": _NONE, "aiter_mxfp4_fp8": _NONE, "aiter_triton_mxfp4_mxfp4": _NONE,
         "aiter_mxfp4_mxfp4": _NONE, "xpu": _NONE, "cpu": _NONE},
        "oracle/mxfp4.py:350, 396, 611",
    ),
}  # fmt: skip
"""By the name of this table. DeepGEMM has no kernel for GPT-OSS's activation (`deep_gemm_moe.py:497`),
b12x none for expert biases (`b12x.py:441`)."""
_PLAIN_FAMILIES = frozenset({"deepseek_v4", "kimi_linear", "minimax_m3", "nemotron_h", "llama4", "step3"})
"""Families with activations, routers or kernels of their own that these tables don't speak of."""
NO_EPLB_METHODS = frozenset(
    {
        "gpt_oss_mxfp4",
        "modelopt",
        "modelopt_mxfp8",
        "awq",
        "auto_awq",
        "awq_marlin",
        "gptq",
        "auto_gptq",
        "gptq_marlin",
        "moe_wna16",
    }
)
"""Methods whose experts can't (`vllm/model_executor/layers/fused_moe/fused_moe_method_base.py:127`)."""


def expert_format(model: Architecture) -> Format | None:
    """Give the format of a model's experts; None when the tables don't speak of it."""
    if model.moe is None or not model.known or model.family in _PLAIN_FAMILIES:
        return None
    return FORMATS.get(_format_name(model.quantization))


def _format_name(stored: Quantization) -> str:
    if stored.method == "gpt_oss_mxfp4":
        return "gpt_oss"
    if stored.method == "modelopt_fp4" and stored.formats == ("nvfp4",):
        return "nvfp4"
    if stored.method == "fp8" and stored.formats == ("fp8",) and stored.weight_block_size == (128, 128):
        return "fp8_block"
    return "bf16" if stored.method is None and stored.formats == ("none",) else ""


def runs_on(gpus: Gpus, capability: Capability) -> bool:
    """Tell whether a compute capability is in one of the spans."""
    return any(first <= capability <= last for first, last in gpus)


def usable(form: Format, capability: Capability) -> tuple[str, ...]:
    """List the backends that are sure to run a format on a GPU."""
    return tuple(
        name for name, gpus in form.backends.items() if gpus is not None and runs_on(gpus, capability)
    )


def asked_backend(view: EngineView) -> str | None:
    """Give the MoE backend that the command names; None for `auto`."""
    name = view.arguments["moe_backend"]
    return name if isinstance(name, str) and name != "auto" else None
