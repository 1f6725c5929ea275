"""DeepSeek-V4's attention backend with settings that it does not take.

## Why

`--dsv4-attn-backend` chooses among kernels for DeepSeek-V4 alone; TensorRT-LLM's is for data centre
Blackwells and plain serving, the fused one for DeepSeek-V4.1.

## Fix

Leave `--dsv4-attn-backend` out.

## References

- SGLang 0.5.23 `arg_groups/deepseek_v4_hook.py:96`-`:140`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given, SglangSettings
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

NAME = "dsv4_attn_backend"


@sglang_rule("ENG310", "deepseek-v4-attention", source="deepseek_v4_hook.py:107")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the backend with GPU and serving."""
    given, held = view.given, view.after("models.late")
    if given is None or given.model.name != "DeepseekV4ForCausalLM":
        return
    problem = _mega(given, held) if held.dsv4_attn_backend == "flashmla_mega" else _trtllm(given, held)
    if problem is not None:
        message = f"dsv4-attn-backend {held.dsv4_attn_backend} {problem}"
        yield refuse(view, NAME, message, "leave dsv4-attn-backend out")


def _mega(given: Given, _held: SglangSettings) -> str | None:
    fits = given.model.model_type == "deepseek_v41" and given.sm100
    return None if fits else "needs DeepSeek-V4.1 on compute capability 10.x"


def _trtllm(given: Given, held: SglangSettings) -> str | None:
    if held.dsv4_attn_backend != "trtllm":
        return None
    if not given.sm100:
        return f"needs compute capability 10.x, not {given.capability[0]}.{given.capability[1]}"
    if held.kv_cache_dtype != "fp8_e4m3":
        return f"needs kv-cache-dtype fp8_e4m3, not {held.kv_cache_dtype}"
    if given["enable_hisparse"]:
        return "does not go with enable-hisparse"
    if given["attn_cp_size"] > 1 or held.dcp_size > 1 or held.enable_prefill_cp:
        return "does not go with context parallelism"
    if held.disaggregation_mode != "null":
        return "does not go with disaggregation"
    return None if (held.chunked_prefill_size or 0) > 0 else "needs chunked prefill"
