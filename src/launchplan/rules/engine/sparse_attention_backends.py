"""Kernels of DeepSeek sparse attention that do not go together.

## Why

Triton's sparse kernels are for AMD GPUs, TileLang's read FP8 caches in a layout of their own, and learned
sinks are in one kernel only.

## Fix

Leave `--dsa-prefill-backend` and `--dsa-decode-backend` out.

## References

- SGLang 0.5.23 `arg_groups/overrides.py:550`, `:644`, `:692`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given, SglangSettings, classes
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

TILELANG_GPU = (8, 9)


@sglang_rule("ENG308", "sparse-attention-backends", source="overrides.py:550")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the kernels with GPU and cache."""
    given, held = view.given, view.after("models.late")
    if given is None or not given.model.is_dsa or given.model.name not in classes.DEEPSEEK:
        return
    problem = _problem(given, held)
    if problem is not None:
        name = "dsa_prefill_backend" if "dsa_prefill_backend" in view.arguments else "dsa_decode_backend"
        yield refuse(view, name, problem, "leave DSA backends out")


def _problem(given: Given, held: SglangSettings) -> str | None:
    pair = (held.dsa_prefill_backend, held.dsa_decode_backend)
    fp8 = held.kv_cache_dtype == "fp8_e4m3"
    if given.model.architecture.dims.get("learnable_sink") is True:
        wrong = next((each for each in pair if each != "flashmla_sparse"), None)
        return None if wrong is None else f"DSA backend {wrong} has no attention sinks"
    if given.model.name == "GlmMoeDsaForCausalLM" and given.sm120 and fp8:
        return None
    if "triton" in pair:
        return "DSA backend triton is for AMD GPUs only"
    if not fp8 or "tilelang" not in pair:
        return None
    if given["enable_hisparse"]:
        return "DSA backend tilelang with an FP8 cache does not go with enable-hisparse"
    if pair != ("tilelang", "tilelang"):
        return "DSA backend tilelang with an FP8 cache needs tilelang in both phases"
    if held.dcp_size > 1:
        return "DSA backend tilelang with an FP8 cache does not take dcp-size above 1"
    old = given.capability < TILELANG_GPU
    return "DSA backend tilelang with an FP8 cache needs compute capability 8.9" if old else None
