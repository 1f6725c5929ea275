"""What each engine calls a checkpoint's quantization, and the oldest GPU that it accepts it on."""

from __future__ import annotations

from launchplan.architecture import Quantization
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
_SGLANG_MODELOPT = {"modelopt": "modelopt_fp8", "modelopt_fp4": "modelopt_fp4"}


def method_of(pool: ResolvedPool) -> str | None:
    """Give the engine's own name of the quantization method in force; None when unquantized or unknown."""
    stored = quantization(pool.deployment)
    given, _ = serve_value(pool, "quantization")
    if stored is not None and stored.is_quantized:
        return stored.method if pool.deployment.engine == "vllm" else _sglang_method(stored)
    return given if isinstance(given, str) else None


def _sglang_method(stored: Quantization) -> str | None:
    """Translate: SGLang goes by what the checkpoint writes, ModelOpt's names apart."""
    if stored.quant_method in {None, "modelopt"}:
        return _SGLANG_MODELOPT.get(stored.method or "")
    return stored.quant_method


def kv_cache_dtype(pool: ResolvedPool) -> str | None:
    """Give the KV cache format that the recipe asks for, None for `auto` and for none."""
    value, _ = serve_value(pool, "kv_cache_dtype")
    return value if isinstance(value, str) and value != "auto" else None
