"""How a checkpoint stores its weights, and the name vLLM gives to that.

The engine's names follow vLLM 0.33.0: transformers_utils/model_arch_config_convertor.py
(`_normalize_quantization_config`), the `override_quantization_method` of each class in
model_executor/layers/quantization/, and model_executor/models/config.py for single models.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from launchplan.architecture.fields import Fields
from launchplan.architecture.types import Format, Quantization

_SMALLEST_FIRST: tuple[Format, ...] = ("nvfp4", "mxfp4", "int4", "mxfp8", "fp8", "int8")
_MODELOPT_METHODS = {
    "NVFP4": "modelopt_fp4",
    "W4A16_NVFP4": "modelopt_fp4",
    "MXFP8": "modelopt_mxfp8",
    "MIXED_PRECISION": "modelopt_mixed",
}
_MODELOPT_FILE_ALGORITHMS = frozenset({"FP8", "FP8_PER_CHANNEL_PER_TOKEN", "FP8_PB_WO"})
_METHOD_FORMATS: dict[str, Format] = {
    "fp8": "fp8",
    "fbgemm_fp8": "fp8",
    "mxfp4": "mxfp4",
    "gpt_oss_mxfp4": "mxfp4",
    "mxfp8": "mxfp8",
}
_EXPERT_NUMBER = re.compile(r"\.experts\.\d+\.")
_BIT_METHODS = frozenset({"awq", "gptq", "awq_marlin", "gptq_marlin", "auto_awq", "auto_gptq"})


@dataclass(frozen=True, slots=True)
class _Model:
    """What of the model decides the engine's name of a method."""

    model_type: str | None
    expert_dtype: str | None


def read_quantization(levels: tuple[Fields, ...], hf_quant: Fields) -> Quantization:
    """Read the quantization of the config, or else of a separate `hf_quant_config.json`.

    vLLM looks into the other file only when the config has no settings of its own.
    """
    model = _Model(levels[0].text("model_type"), levels[-1].text("expert_dtype"))
    for level in levels:
        settings = level.child("quantization_config", "compression_config")
        if settings.raw:
            return _read(settings, settings, model)
    inner = hf_quant.child("quantization")
    if inner.raw:
        return _read(inner, hf_quant, model)
    return Quantization(method=None, formats=("none",))


def _read(inner: Fields, outer: Fields, model: _Model) -> Quantization:
    """Read the settings of `inner`; the producer and the method may stand in `outer`."""
    algorithm = inner.text("quant_algo")
    written = outer.text("quant_method") or inner.text("quant_method")
    formats = _formats(inner, written, algorithm)
    if model.expert_dtype == "fp4" and not formats & {"nvfp4"}:
        formats |= {"mxfp4"}
    weights = _first_weights(inner)
    return Quantization(
        method=_method(inner, outer, written, model.model_type),
        formats=tuple(name for name in _SMALLEST_FIRST if name in formats),
        quant_method=written,
        quant_algo=algorithm,
        weight_block_size=inner.ints("weight_block_size") or weights.ints("block_structure"),
        group_size=inner.positive("group_size") or weights.positive("group_size"),
        activation_scheme=inner.text("activation_scheme"),
        kv_cache_quant_algo=_kv_cache(inner),
        ignore=_ignored(inner),
        separate_file=inner is not outer,
        w4a16_experts=_w4a16_experts(inner),
        modules=_modules(inner),
        scale_bytes=inner.positive("scale_bytes"),
    )


def _method(inner: Fields, outer: Fields, written: str | None, model_type: str | None) -> str | None:
    """Name the method as the engine resolves it; None when it sees no method."""
    algorithm = (inner.text("quant_algo") or "").upper()
    method = (written or "").lower().replace("compressed_tensors", "compressed-tensors")
    if inner is not outer and outer.child("producer").text("name") == "modelopt":
        known = algorithm in _MODELOPT_FILE_ALGORITHMS or algorithm in _MODELOPT_METHODS
        method = "modelopt" if known else method
    if method == "modelopt":
        return _MODELOPT_METHODS.get(algorithm, "modelopt")
    if method == "mxfp4" and model_type == "gpt_oss":
        return "gpt_oss_mxfp4"
    if method == "fp8" and model_type == "deepseek_v4":
        return "deepseek_v4_fp8"
    if method == "compressed-tensors" and model_type == "kimi_k3" and "mxfp4" in (inner.text("format") or ""):
        return "mxfp4"
    return method or None


def _formats(inner: Fields, method: str | None, algorithm: str | None) -> frozenset[Format]:
    """Collect every weight format that the settings name."""
    found: set[Format] = set()
    for name in (algorithm, inner.text("moe_quant_algo"), *_layer_algorithms(inner)):
        if (format_ := _format_of_algorithm(name)) is not None:
            found.add(format_)
    groups = inner.child("config_groups")
    if algorithm is None or not found:
        for name in groups.raw:
            if (format_ := _format_of_group(inner, groups.child(name))) is not None:
                found.add(format_)
    if (method or "").lower() in _METHOD_FORMATS:
        found.add(_METHOD_FORMATS[(method or "").lower()])
    if (method or "").lower() in _BIT_METHODS:
        found |= _format_of_bits(inner.positive("bits", "w_bit", "wbits"))
    if (method or "").lower() == "quark":
        found |= _quark_formats(inner)
    return frozenset(found)


def _layer_algorithms(inner: Fields) -> tuple[str | None, ...]:
    layers = inner.child("quantized_layers")
    return tuple(Fields(v).text("quant_algo") for v in layers.raw.values() if isinstance(v, Mapping))


def _modules(inner: Fields) -> tuple[tuple[str, Format], ...]:
    """Read the formats by module; the experts of a layer share one entry."""
    found: dict[str, Format] = {}
    for name, settings in inner.child("quantized_layers").raw.items():
        algorithm = Fields(settings).text("quant_algo") if isinstance(settings, Mapping) else None
        if (format_ := _format_of_algorithm(algorithm)) is not None:
            found[_EXPERT_NUMBER.sub(".experts.*.", name)] = format_
    return tuple(found.items())


def _w4a16_experts(inner: Fields) -> bool:
    layers = inner.child("quantized_layers").raw
    return any(
        ".experts" in name and isinstance(each, Mapping) and each.get("quant_algo") == "W4A16_NVFP4"
        for name, each in layers.items()
    )


def _format_of_algorithm(name: str | None) -> Format | None:
    """Map a ModelOpt algorithm to the format of the weights."""
    upper = (name or "").upper()
    if "NVFP4" in upper:
        return "nvfp4"
    if "MXFP4" in upper:
        return "mxfp4"
    if "MXFP8" in upper:
        return "mxfp8"
    if upper.startswith("FP8"):
        return "fp8"
    if upper.startswith(("W4A16", "INT4")) or "AWQ" in upper:
        return "int4"
    return "int8" if upper.startswith("INT8") else None


def _format_of_group(inner: Fields, group: Fields) -> Format | None:
    """Map a group of compressed-tensors to the format of its weights."""
    label = group.text("format") or inner.text("format") or ""
    for name in ("mxfp4", "nvfp4", "mxfp8"):
        if name in label:
            return name
    weights = group.child("weights")
    bits, kind = weights.positive("num_bits"), weights.text("type")
    if bits == 8:
        return {"float": "fp8", "int": "int8"}.get(kind or "")  # type: ignore[return-value]
    if bits == 4:
        # Four-bit floats in groups of 16 are NVFP4, in groups of 32 MXFP4.
        by_group: dict[int | None, Format] = {16: "nvfp4", 32: "mxfp4"}
        return "int4" if kind == "int" else by_group.get(weights.positive("group_size"))
    return None


def _format_of_bits(bits: int | None) -> set[Format]:
    return {4: {"int4"}, 8: {"int8"}}.get(bits or 0, set())  # type: ignore[return-value]


def _quark_formats(inner: Fields) -> set[Format]:
    """Read AMD Quark's settings: a global one and one a layer pattern."""
    layers = inner.child("layer_quant_config").raw
    settings = [
        inner.child("global_quant_config"),
        *(Fields(v) for v in layers.values() if isinstance(v, Mapping)),
    ]
    found: set[Format] = set()
    for setting in settings:
        weight = setting.child("weight")
        dtype = weight.text("dtype") or ""
        if dtype == "fp4":
            found.add("mxfp4")
        elif dtype.startswith("fp8"):
            found.add("mxfp8" if weight.text("scale_format") == "e8m0" else "fp8")
        elif dtype in {"int4", "uint4"}:
            found.add("int4")
        elif dtype in {"int8", "uint8"}:
            found.add("int8")
    return found


def _first_weights(inner: Fields) -> Fields:
    groups = inner.child("config_groups")
    for name in groups.raw:
        weights = groups.child(name).child("weights")
        if weights.raw:
            return weights
    return Fields({})


def _kv_cache(inner: Fields) -> str | None:
    """Name the format of the KV cache that the checkpoint asks for."""
    stated = inner.text("kv_cache_quant_algo")
    scheme = inner.child("kv_cache_scheme")
    if stated is None and scheme.text("type") == "float" and scheme.positive("num_bits") in {4, 8}:
        return "FP8" if scheme.positive("num_bits") == 8 else "NVFP4"
    return stated


def _ignored(inner: Fields) -> tuple[str, ...]:
    for name in ("ignore", "exclude_modules", "modules_to_not_convert", "ignored_layers", "exclude"):
        found = inner.texts(name)
        if found is not None:
            return found
    return ()
