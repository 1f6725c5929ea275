"""HiSparse on a model or beside an option that it does not know.

## Why

HiSparse swaps the KV cache of sparse attention in and out. It needs a model with DeepSeek's, DeepSeek-V4's or
MiniMax-M3's sparse attention, no radix cache, and kernels that read its cache.

## Fix

Remove `enable-hisparse`, or change what the message names.

## References

- SGLang 0.5.23 `arg_groups/hisparse_hook.py:40`-`:165`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, first_class, refuse, sglang_rule
from launchplan.rules.sharding import is_sparse
from launchplan.units import choice_text

NAME = "enable_hisparse"
DEEPSEEK_V4 = frozenset(
    {"DeepseekV4ForCausalLM", "DeepseekV4ForCausalLMNextN", "DeepseekV4ForCausalLMDSpark"}
)
MINIMAX_M3 = frozenset({"MiniMaxM3SparseForCausalLM", "MiniMaxM3SparseForConditionalGeneration"})
"""Classes with a sparse attention of their own (`configs/model_config.py:395`, `:426`)."""
DTYPES = ("bfloat16", "auto", "fp8_e4m3")
KERNELS = {"bfloat16": ("flashmla_sparse",), "fp8_e4m3": ("flashmla_kv", "flashinfer_sparse_mla")}
ANY_KERNEL = ("flashmla_sparse", "flashmla_kv", "flashinfer_sparse_mla")
ROCM_KERNELS = ("tilelang", "triton", "aiter")


@sglang_rule("ENG361", "hisparse", source="hisparse_hook.py:104")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare HiSparse with the model and its companions."""
    given, held, kind = view.arguments, view.settings, first_class(view)
    if not given[NAME]:
        return
    own = kind in DEEPSEEK_V4 | MINIMAX_M3
    if kind is not None and not own and not is_sparse(view):
        message = f"enable-hisparse needs a model with sparse attention, {kind} has none"
        yield refuse(view, NAME, message, "remove enable-hisparse")
    if not held.disable_radix_cache:
        yield refuse(view, NAME, "enable-hisparse needs disable-radix-cache", "add disable-radix-cache")
    if held.enable_mixed_chunk:
        message = "enable-hisparse does not work with enable-mixed-chunk"
        yield refuse(view, NAME, message, "remove enable-mixed-chunk")
    if algorithm_of(view) not in (None, "NONE"):
        if (held.speculative_eagle_topk or 1) != 1:
            message = f"enable-hisparse needs speculative-eagle-topk 1, not {held.speculative_eagle_topk}"
            yield refuse(view, "speculative_eagle_topk", message, "use speculative-eagle-topk 1")
        if given["speculative_adaptive"]:
            message = "enable-hisparse does not work with speculative-adaptive"
            yield refuse(view, "speculative_adaptive", message, "remove speculative-adaptive")
    if is_sparse(view) and held.complete:
        yield from _kernels(view)


def _kernels(view: SglangView) -> Iterator[Violation]:
    held = view.settings
    if held.kv_cache_dtype not in DTYPES:
        message = f"enable-hisparse needs a KV cache in bfloat16 or fp8_e4m3, not {held.kv_cache_dtype}"
        yield refuse(view, "kv_cache_dtype", message, "use kv-cache-dtype fp8_e4m3")
    amd = view.gpu is not None and view.gpu.vendor == "amd"
    able = ROCM_KERNELS if amd else KERNELS.get(held.kv_cache_dtype, ANY_KERNEL)
    for name in ("dsa_prefill_backend", "dsa_decode_backend"):
        backend = getattr(held, name)
        if backend is not None and backend not in able:
            flag = name.replace("_", "-")
            message = f"enable-hisparse does not work with {flag} {backend} and KV {held.kv_cache_dtype}"
            yield refuse(view, name, message, f"use {flag} {choice_text(able)}")
