"""An FP4 KV cache with backends or features that it does not go with.

## Why

FP4 caches are read by few backends, in a layout of their own that host caches, transfer between servers and
some kinds of drafts do not know.

## Fix

Leave attention backends to SGLang, remove the feature that the message names, or use `fp8_e4m3`.

## References

- SGLang 0.5.23 `arg_groups/kv_cache_hook.py:34`, `:112`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given, SglangSettings
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.formats.kv_dtype_needs_gpu import BLACKWELL
from launchplan.rules.formats.kv_dtype_of_sparse_model import formats
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

FP4 = ("nvfp4", "fp4_mx_block16")
PREFILL = ("flashinfer", "trtllm_mha")
NATIVE_DRAFTS = frozenset({"EAGLE", "EAGLE3", "NEXTN", "NGRAM"})
LATENT = ("flashinfer", "trtllm_mla")
HEADS_BESIDE_FA4 = ("triton", "torch_native", "flex_attention")
HEADS = (*HEADS_BESIDE_FA4, "trtllm_mha")
NAME = "kv_cache_dtype"


@sglang_rule("QNT304", "fp4-kv-cache", source="kv_cache_hook.py:112")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the cache with backends and features."""
    given, dtype = view.given, view.settings.kv_cache_dtype
    wanted = view.arguments["prefill_kv_cache_dequant_dtype"]
    if dtype != "nvfp4" and wanted not in {None, "auto"}:
        message = f"prefill-kv-cache-dequant-dtype {wanted} needs kv-cache-dtype nvfp4, which is {dtype}"
        yield refuse(view, "prefill_kv_cache_dequant_dtype", message, "leave it out")
    if given is None or dtype not in FP4 or formats(given) is not None:
        return
    if dtype == "nvfp4" and given.major not in BLACKWELL[dtype]:
        return  # QNT108 says so
    problem = _prefill(given, view.after("attention.deterministic")) if dtype == "nvfp4" else None
    problem = problem or _features(given, view.after("mamba.linear_kernels"))
    problem = problem or _backends(given, view.after("mamba.linear_kernels"))
    if problem is not None:
        yield refuse(
            view, NAME, f"kv-cache-dtype {dtype} {problem}", "leave attention backends out, or use fp8_e4m3"
        )


def _prefill(given: Given, held: SglangSettings) -> str | None:
    """Say which chosen backend or format is in the way (`kv_cache_hook.py:47`)."""
    chosen, wanted = (
        held.prefill_attention_backend or held.attention_backend,
        held.prefill_kv_cache_dequant_dtype,
    )
    if wanted == "auto":
        if chosen is not None and chosen not in PREFILL:
            return f"is not read by prefill backend {chosen}"
        native = chosen == "trtllm_mha" or (chosen is None and given.sm100)
        wanted = "nvfp4" if native else "fp8_e4m3"
    if wanted == "nvfp4" and not given.sm100:
        return "is read as it is in prefill on compute capability 10.x only"
    target = "trtllm_mha" if wanted == "nvfp4" else "flashinfer"
    if held.prefill_attention_backend not in {None, target}:
        return f"read as {wanted} needs prefill backend {target}, not {held.prefill_attention_backend}"
    if held.decode_attention_backend not in {None, "trtllm_mha"}:
        return f"needs decode backend trtllm_mha, not {held.decode_attention_backend}"
    return None


def _features(given: Given, held: SglangSettings) -> str | None:
    if given["enable_unified_memory"]:
        return "does not go with enable-unified-memory"
    native = held.kv_cache_dtype == "nvfp4" and given.sm100
    if not native or "trtllm_mha" not in (held.prefill_backend, held.decode_backend):
        return None
    algorithm = (held.speculative_algorithm or "").upper()
    if algorithm and algorithm not in NATIVE_DRAFTS:
        return f"does not go with speculative-algorithm {algorithm}"
    if algorithm == "NGRAM" and given["speculative_ngram_max_bfs_breadth"] != 1:
        return "with NGRAM needs speculative-ngram-max-bfs-breadth 1"
    draft = held.speculative_draft_attention_backend
    if algorithm not in {"", "NGRAM"} and draft not in {None, "trtllm_mha"}:
        return f"needs draft backend trtllm_mha, not {draft}"
    if held.disaggregation_mode != "null":
        return "does not go with disaggregation"
    if held.enable_hierarchical_cache or given["enable_lmcache"]:
        return "does not go with a host cache"
    return None


def _backends(given: Given, held: SglangSettings) -> str | None:
    """Say which backend does not read the cache (`kv_cache_hook.py:266`)."""
    prefill, decode = held.prefill_backend, held.decode_backend
    if prefill not in (decode, "fa4"):
        return None
    beside = prefill == "fa4"
    allowed: tuple[str, ...] = HEADS_BESIDE_FA4 if beside else HEADS
    if given.model.is_mla:
        allowed = LATENT
    backend, role = (decode, "decode") if beside else (held.attention_backend, "attention")
    return None if backend in allowed else f"is not read by {role} backend {backend}"
