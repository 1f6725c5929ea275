"""What each engine calls a checkpoint's quantization, and the oldest GPU that it accepts it on."""

from __future__ import annotations

from launchplan.architecture import Quantization
from launchplan.engines.view import EngineView
from launchplan.resolve import ResolvedPool
from launchplan.rules.given import quantization, serve_value

Capability = tuple[int, int]
MINIMUM: dict[str, dict[str, Capability]] = {
    "vllm": {
        "awq": (7, 5),
        "auto_awq": (7, 5),
        "gptq": (6, 0),
        "auto_gptq": (6, 0),
        "fp8": (7, 5),
        "modelopt": (8, 0),
        "modelopt_fp4": (7, 5),
        "modelopt_mxfp8": (8, 0),
        "mxfp4": (8, 0),
        "gpt_oss_mxfp4": (8, 0),
        "fp_quant": (10, 0),
    },
    "sglang": {
        "quark_int4fp8_moe": (7, 0),
        "compressed-tensors": (7, 0),
        "bitsandbytes": (7, 0),
        "auto-round": (6, 0),
        "humming": (7, 5),
        "awq": (7, 5),
        "awq_marlin": (8, 0),
        "gptq_marlin": (8, 0),
        "auto-round-int8": (7, 5),
        "modelopt_mixed": (8, 0),
        "minimax_m3_nvfp4": (9, 0),
        "petit_nvfp4": (9, 0),
        "moe_wna16": (7, 0),
        "gguf": (6, 0),
        "w8a8_int8": (7, 5),
        "fp8": (8, 0),
        "mxfp4": (8, 0),
        "modelopt_fp4": (8, 0),
        "blockwise_int8": (8, 0),
        "modelopt_fp8": (8, 9),
        "w8a8_fp8": (8, 9),
        "w4afp8": (9, 0),
        "mxfp8": (10, 0),
        "nvfp4_online": (10, 0),
    },
}
"""`get_min_capability` of each method in vLLM 0.33.0 and SGLang 0.5.23; what is not here is not known."""
_SGLANG_MODELOPT = {
    "modelopt": "modelopt_fp8",
    "modelopt_fp4": "modelopt_fp4",
    "modelopt_mixed": "modelopt_mixed",
    "modelopt_mxfp8": "mxfp8",
}
"""ModelOpt's methods as SGLang names them (`configs/model_config.py:_parse_modelopt_quant_config`)."""
_OVERRIDING = frozenset({"modelopt_fp8", "modelopt_fp4", "modelopt_mixed"})
"""Checkpoint methods that win over whatever `--quantization` says (`base_config.py:223`)."""


def method_of(pool: ResolvedPool) -> str | None:
    """Give the engine's own name of the quantization method in force; None when unquantized or unknown."""
    stored = quantization(pool.deployment)
    given, _ = serve_value(pool, "quantization")
    asked = given.lower() if isinstance(given, str) else None
    if stored is None or not stored.is_quantized:
        return asked
    if pool.deployment.engine == "vllm":
        return stored.method
    name = sglang_stored(stored)
    return name if asked is None or name in _OVERRIDING else asked


def given_method(view: EngineView) -> str | None:
    """Give what `--quantization` says; None without it."""
    value = view.arguments["quantization"]
    return value.lower() if isinstance(value, str) else None


def sglang_stored(stored: Quantization) -> str | None:
    """Give SGLang's name of a checkpoint's method: what it writes, ModelOpt's names apart."""
    if not stored.is_quantized:
        return None
    if stored.quant_method in {None, "modelopt"}:
        return _SGLANG_MODELOPT.get(stored.method or "")
    return stored.quant_method


def kv_cache_dtype(pool: ResolvedPool) -> str | None:
    """Give the KV cache format that the recipe asks for, None for `auto` and for none."""
    value, _ = serve_value(pool, "kv_cache_dtype")
    return value if isinstance(value, str) and value != "auto" else None
