"""An attention backend that SGLang does not run on this GPU.

## Why

TensorRT-LLM's and CuteDSL's kernels are compiled for some generations only. A backend may be SGLang's own
choice for a model: decode context parallelism of Kimi-K3 takes CuteDSL's.

## Fix

Leave the attention backend out, or use the GPU that the message names.

## References

- SGLang 0.5.23 `arg_groups/overrides.py:1211`, `:1241`, `:1245`; `arg_groups/attention_hook.py:198`-`:237`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given, SglangSettings
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

FIX = "leave attention backends out"
HEADS = frozenset({9, 10, 12})
"""Compute capability majors of `trtllm_mha`."""


@sglang_rule("ENG301", "attention-backend-needs-gpu", source="overrides.py:1245")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the settled backends with the GPU."""
    given, held = view.given, view.after("attention.backends")
    if given is None:
        return
    if held.kv_cache_dtype == "nvfp4" and "trtllm_mha" not in _written(view):
        return  # the format chose the backend, and QNT108 speaks of it
    has = f"{view.gpu_id} has {given.capability[0]}.{given.capability[1]}"
    asked = view.after("parallel.expert_weights_on_demand").prefill_attention_backend
    if asked == "cutedsl_mla" and held.prefill_attention_backend == "cutedsl_mla":
        yield refuse(
            view, "prefill_attention_backend", "cutedsl_mla decodes only", "use trtllm_mla for prefill"
        )
        return
    for backend, needed in _missing(given, held):
        name = _where(view, backend)
        dcp = held.dcp_size > 1 and name not in view.arguments and "dcp_size" in view.arguments
        own = " (SGLang's choice for dcp)" if dcp else ""
        message = f"attention backend {backend}{own} needs compute capability {needed}; {has}"
        yield refuse(view, "dcp_size" if dcp else name, message, "leave dcp-size out" if dcp else FIX)
        return


def _missing(given: Given, held: SglangSettings) -> Iterator[tuple[str, str]]:
    main, prefill, decode = held.attention_backend, held.prefill_backend, held.decode_attention_backend
    if "trtllm_mla" in (main, decode) and not given.blackwell:
        yield "trtllm_mla", "10.x to 12.x"
    if "cutedsl_mla" in (main, decode, held.prefill_attention_backend) and not given.sm100:
        yield "cutedsl_mla", "10.x"
    if "trtllm_mha" in (prefill, held.decode_backend) and given.major not in HEADS:
        yield "trtllm_mha", "9.x, 10.x or 12.x"
    if prefill == "trtllm_mha" and not given.sm100 and held.attn_cp_size > 1:
        yield "trtllm_mha with attn-cp-size above 1", "10.x"


def _written(view: SglangView) -> tuple[object, ...]:
    names = ("decode_attention_backend", "prefill_attention_backend", "attention_backend")
    return tuple(view.arguments[name] for name in names)


def _where(view: SglangView, backend: str) -> str:
    names = ("decode_attention_backend", "prefill_attention_backend", "attention_backend")
    return next((name for name in names if view.arguments[name] == backend), "attention_backend")
