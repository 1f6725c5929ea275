"""A KV cache format that no attention backend reads for this model and GPU.

## Why

vLLM's parser knows more formats than each model's attention has. `fp8_ds_mla` is the packed cache of
DeepSeek sparse attention alone; `fp8_e5m2` is none for latent attention, nor beside FP8 weights; `nvfp4`
is none for latent attention, for heads of 64 and for attention sinks, and on datacenter Blackwell it
takes FlashInfer's ready-made kernels. Where only Triton's attention serves the model (latent attention or
GPT-OSS on A100), FP8 takes a GPU with FP8 units. A checkpoint can ask for FP8 by itself. Most of it comes
out in the worker.

## Fix

Use `fp8` or leave `kv_cache_dtype` out; `auto` does not undo what the checkpoint asks for, `bfloat16` does.

## References

- vLLM 0.33.0 `vllm/platforms/cuda.py:472`, `vllm/config/vllm.py:3432`,
  `model_executor/layers/attention/attention.py:218`, `v1/attention/backends/triton_attn.py:520`,
  `mla/triton_mla.py:209`, `models/deepseek_v4/attention.py:112`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from launchplan.architecture import Architecture
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.attention import PLAIN, Layer
from launchplan.engines.vllm.attention_choice import chosen
from launchplan.engines.vllm.attention_table import BACKENDS
from launchplan.engines.vllm.layers import asked_backend, attention_layers, kv_cache_dtype
from launchplan.rules.flag_names import missing_name
from launchplan.rules.rule import ERROR, Violation, rule

FP8_UNITS = (8, 9)
TRITON = frozenset({"TRITON_ATTN", "TRITON_MLA"})
SCALED = frozenset({"fp8", "modelopt", "modelopt_fp4", "modelopt_mxfp8"})
"""Methods that load scales for the cache, which `fp8_e5m2` has none of (`quantization/fp8.py:206`)."""
DEFAULT = "use fp8, or leave it out"


@rule(
    "QNT106",
    "kv-dtype-has-backend",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/platforms/cuda.py:472, vllm/config/vllm.py:3432 (0.33.0)",
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the format with the model's attention and the GPU."""
    model, gpu = view.architecture, view.gpu
    if model is None or not model.known or gpu is None or gpu.vendor != "nvidia":
        return
    name = kv_cache_dtype(view)
    if name == "auto" or (model.is_mla and name.startswith("nvfp4") and not name.endswith("_ds_mla")):
        return  # the configuration refuses the latter before (QNT205)
    if missing_name(view.pool.deployment, "--kv-cache-dtype", name):
        return  # nobody has it (QNT104)
    problem = _by_model(name, model) or _by_layers(view, name)
    if problem is not None:
        what = "kv_cache_dtype" if "kv_cache_dtype" in view.arguments else "the checkpoint's kv cache"
        fix = DEFAULT if what == "kv_cache_dtype" and name != "fp8" else "set kv_cache_dtype to bfloat16"
        yield Violation(f"{what} {name} {problem}", view.path("kv_cache_dtype"), fix)


def _by_model(name: str, model: Architecture) -> str | None:
    if name == "fp8_e5m2" and not model.is_mla and model.quantization.method in SCALED:
        return "does not go with an FP8 checkpoint"
    if model.family == "deepseek_v4" and name in PLAIN:
        return "is not read by DeepSeek-V4's attention, which packs FP8"
    return None


def _by_layers(view: EngineView, name: str) -> str | None:
    asked = asked_backend(view)
    for layer in attention_layers(view):
        backend = BACKENDS.get(asked) if asked else chosen(layer)
        if backend is not None and backend.name in TRITON and _needs_units(layer):
            has = f"{layer.capability[0]}.{layer.capability[1]}"
            return f"needs compute capability 8.9 with {backend.name}; the GPU has {has}"
        if asked or backend is not None or chosen(replace(layer, kv_dtype="auto")) is None:
            continue
        if name == "fp8_ds_mla":
            return "is for DeepSeek sparse attention, which this model has not"
        if name.startswith("nvfp4") and chosen(replace(layer, cubins=True)) is not None:
            return "takes FlashInfer's ready-made kernels on this GPU (vllm download-kernels)"
        what = "latent attention" if layer.mla else "any attention backend for this model"
        return f"is not read by {what} on this GPU"
    return None


def _needs_units(layer: Layer) -> bool:
    return layer.kv_dtype.startswith("fp8") and layer.capability < FP8_UNITS
