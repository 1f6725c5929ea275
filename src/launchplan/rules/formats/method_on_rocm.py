"""A quantization method that the engine does not run on AMD GPUs.

## Why

Both engines keep a list of the methods that their ROCm build takes, and compare the method in force with it
before anything is loaded. GPTQ and AWQ in Marlin's layout, ModelOpt's formats in SGLang, and formats that are
unpacked by CUDA kernels are not on it.

## Fix

Take a checkpoint in a format of the list: FP8, MXFP4 (Quark) or compressed-tensors.

## References

- vLLM 0.33.0 `vllm/platforms/rocm.py:668`, `vllm/platforms/interface.py:1158`
- SGLang 0.5.23 `configs/model_config.py:2004`, `:2156`, `layers/quantization/__init__.py:96`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.catalog import engine_models
from launchplan.resolve import ResolvedPool
from launchplan.rules.formats.names import method_of
from launchplan.rules.given import serve_value
from launchplan.rules.places import checkpoint_key
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import cut

ON_ROCM = {
    "vllm": frozenset({
        "awq", "auto_awq", "awq_marlin", "gptq", "auto_gptq", "fp8", "deepseek_v4_fp8", "compressed-tensors",
        "fbgemm_fp8", "inc", "quark", "mxfp4", "mxfp8", "torchao", "modelopt", "modelopt_fp4",
        "modelopt_mxfp8", "modelopt_mixed", "fp8_per_tensor", "fp8_per_block", "fp8_per_channel", "online",
        "gpt_oss_mxfp4",
    }),
    "sglang": frozenset({
        "awq", "fp8", "compressed_tensors", "compressed-tensors", "w8a8_fp8", "petit_nvfp4", "quark", "mxfp4",
        "mxfp8", "auto-round", "auto-round-int8", "quark_int4fp8_moe", "quark_mxfp4",
    }),
}  # fmt: skip
"""Methods that each engine's ROCm build takes (vLLM 0.33.0, SGLang 0.5.23)."""
CALLED: dict[str, dict[str, str | None]] = {"vllm": {"auto-round": "inc"}, "sglang": {"unquant": None}}
"""Methods that the engine has renamed before it compares."""
ONLY_GFX95 = frozenset({"mxfp4"})
"""Methods that SGLang registers on gfx95* alone (`layers/quantization/__init__.py:96`)."""


@rule(
    "QNT109",
    "method-on-rocm",
    severity=ERROR,
    since={"vllm": "0.33.0", "sglang": "0.5.23"},
    source={
        "vllm": "vllm/platforms/interface.py:1158, platforms/rocm.py:668 (0.33.0)",
        "sglang": "sglang/srt/configs/model_config.py:2156 (0.5.23)",
    },
    at="config",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the method in force with those of the ROCm build."""
    if pool.gpu is None or pool.gpu.vendor != "amd":
        return
    method = method_of(pool)
    name = CALLED[pool.deployment.engine].get(method or "", method)
    if name is None or _is_unknown(pool, name) or _runs(pool, name):
        return
    asked, path = serve_value(pool, "quantization")
    given = isinstance(asked, str) and asked.lower() == method
    message = f"{pool.deployment.engine_label} does not run {cut(name)} on ROCm ({pool.gpu.id})"
    fix = "leave quantization out, or use fp8" if given else "take a checkpoint in fp8 or another format"
    yield Violation(message, path if given else checkpoint_key(pool), fix)


def _runs(pool: ResolvedPool, name: str) -> bool:
    engine, gfx = pool.deployment.engine, (pool.gpu.gfx if pool.gpu else None) or "gfx95"
    newer_only = engine == "sglang" and name in ONLY_GFX95
    return name in ON_ROCM[engine] and (not newer_only or gfx.startswith("gfx95"))


def _is_unknown(pool: ResolvedPool, name: str) -> bool:
    """Tell whether the version has no such method on any GPU (QNT202)."""
    models = engine_models(pool.deployment.engine, pool.deployment.version)
    return models is not None and models.method(name) is None
