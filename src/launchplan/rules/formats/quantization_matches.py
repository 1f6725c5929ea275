"""`--quantization` names another method than the checkpoint's.

## Why

SGLang reads the method from the checkpoint and takes the flag only where both agree, or where it knows how to
make one from the other. ModelOpt checkpoints win over most flags in silence.

## Fix

Leave `--quantization` out, or take a checkpoint in the wanted format.

## References

- SGLang 0.5.23 `configs/model_config.py:2000`, `:1968`; `arg_groups/model_override_base.py:213`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.architecture import Quantization
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

COMPATIBLE = {
    "modelopt_fp8": ("modelopt",),
    "modelopt_fp4": ("modelopt", "fp8"),
    "modelopt_mixed": ("modelopt",),
    "nvfp4_online": ("fp8", "modelopt_fp8"),
    "minimax_m3_nvfp4": ("mxfp8",),
    "petit_nvfp4": ("modelopt",),
    "w8a8_int8": ("compressed-tensors", "compressed_tensors"),
    "w8a8_fp8": ("compressed-tensors", "compressed_tensors"),
    "auto-round-int8": ("compressed-tensors", "compressed_tensors"),
}
"""Stored methods that a flag accepts beside its own (`model_config.py:2047`)."""
WINNING = frozenset({"modelopt_fp8", "modelopt_fp4", "modelopt_mixed"})
"""Stored methods that replace the flag (`layers/quantization/base_config.py:224`)."""
REMADE = "quark_mxfp4"
"""The flag that makes its format anew from any other."""
METHODS = frozenset({
    "fp8", "mxfp8", "minimax_m3_nvfp4", "blockwise_int8", "modelopt", "modelopt_fp8", "modelopt_fp4",
    "nvfp4_online", "modelopt_mixed", "w8a8_int8", "w8a8_fp8", "awq", "awq_marlin", "bitsandbytes", "gguf",
    "gptq_marlin", "moe_wna16", "compressed-tensors", "w4afp8", "petit_nvfp4", "quark", "quark_mxfp4",
    "auto-round", "auto-round-int8", "modelslim", "quark_int4fp8_moe", "humming", "mxfp_w4a8", "mxfp4",
})  # fmt: skip
"""Methods on CUDA (`layers/quantization/__init__.py:63`)."""
KERNELS = {"awq": ("marlin", "awq_marlin"), "gptq": ("marlin", "gptq_marlin")}
"""Flags that pick a kernel for the stored method (`layers/quantization/awq/awq.py:333`)."""


@sglang_rule("QNT301", "quantization-matches", source="model_override_base.py:213")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the flag with what the checkpoint says."""
    given = view.given
    if given is None:
        return
    if given["quantize_and_serve"]:
        message = "quantize-and-serve is switched off in this release"
        yield refuse(view, "quantize_and_serve", message, "quantize first, then serve the export")
    asked = str(given["quantization"]).lower() if given["quantization"] else None
    asked = None if asked == "unquant" else asked
    stored, model = given.model.method, given.model.architecture.quantization
    if not _settled(model) or given["load_format"] == "gguf":
        return
    if model.is_quantized and stored is not None and not _agrees(asked, stored):
        message = f"quantization {asked} is not the checkpoint's {stored}"
        yield refuse(view, "quantization", message, "leave quantization out")
    elif not model.is_quantized and asked is not None and asked not in METHODS:
        message = f"quantization {asked} does not exist on NVIDIA GPUs"
        yield refuse(view, "quantization", message, "leave quantization out")


def _settled(model: Quantization) -> bool:
    """Tell whether the settings were read, not only the format's name from the catalog."""
    read = model.quant_method is not None or model.quant_algo is not None
    return read or not model.is_quantized


def _agrees(asked: str | None, stored: str) -> bool:
    if asked is None or asked in {stored, REMADE}:
        return True
    if stored in WINNING and asked != "nvfp4_online":
        return True
    if asked == "humming":
        return stored != "mxfp4"
    if asked == "moe_wna16":
        return stored in KERNELS
    return stored in COMPATIBLE.get(asked, ()) or asked in KERNELS.get(stored, ())
