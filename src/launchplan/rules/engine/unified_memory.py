"""The unified memory pool with a feature that does not know it.

## Why

`--enable-unified-memory` keeps KV cache and recurrent state in one pool behind virtual addresses. Backends,
drafts, transfer and host caches must translate them; many do not yet.

## Fix

Remove `--enable-unified-memory`, or what the message names.

## References

- SGLang 0.5.23 `arg_groups/kv_cache_hook.py:522`, `:795`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given, SglangSettings
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

NAME, LAYOUT = "enable_unified_memory", "enable_page_major_kv_layout"
DRAFTS = (None, "DSPARK", "EAGLE", "EAGLE3", "DFLASH")
LATENT = frozenset({"triton", "fa3", "trtllm_mla", "flashinfer", "cutedsl_mla", "flashmla"})
HEADS = frozenset({"triton", "fa3", "fa4", "flashinfer", "trtllm_mha"})
VERIFYING = frozenset({"triton", "flashinfer", "fa3", "trtllm_mha"})
"""Backends that verify drafts in the pool for models without latent attention (`kv_cache_hook.py:489`)."""
UNEVEN = frozenset({"triton", "fa3", "fa4"})
SHARED = frozenset({"flashinfer", "trtllm_mla", "cutedsl_mla"})
HYBRID_WINDOW = frozenset({"gpt_oss", "llama4", "deepseek_v4", "mimo_v2", "step3", "gemma4"})
"""Families with a pool of their own for sliding layers (`configs/model_config.py:2651`)."""


@sglang_rule("ENG316", "unified-memory", source="kv_cache_hook.py:522")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the pool with what reads it."""
    given, held = view.given, view.settings
    if given is None:
        return
    if given[LAYOUT] and not given[NAME]:
        message = "enable-page-major-kv-layout needs enable-unified-memory"
        yield refuse(view, LAYOUT, message, "remove enable-page-major-kv-layout")
    if given[NAME]:
        problem = _features(given, held) or _roles(given, held) or _backends(given, held)
        problem = problem or _drafts(given, held) or _kernels(given, held)
        if problem is not None:
            message = f"enable-unified-memory {problem}"
            yield refuse(view, NAME, message, "remove enable-unified-memory")


def _features(given: Given, held: SglangSettings) -> str | None:
    drafts = held.speculative_algorithm
    if drafts not in DRAFTS:
        return f"does not take speculative-algorithm {drafts}"
    if held.speculative_eagle_topk not in {None, 1}:
        return f"needs speculative-eagle-topk 1, not {held.speculative_eagle_topk}"
    if drafts in {"EAGLE", "EAGLE3"} and not _hybrid(given):
        return f"with {drafts} needs a hybrid model"
    clashes = {
        "enable-two-batch-overlap": held.enable_two_batch_overlap,
        "enable-lmcache": given["enable_lmcache"],
        "enable-unified-cache-external-linker": given["enable_unified_cache_external_linker"],
        "drafts and a host cache": drafts in {"EAGLE", "EAGLE3"} and held.enable_hierarchical_cache,
    }
    clash = next((what for what, on in clashes.items() if on), None)
    return None if clash is None else f"does not go with {clash}"


def _roles(given: Given, held: SglangSettings) -> str | None:
    """Say what of a prefill or decode server is in the way (`kv_cache_hook.py:528`)."""
    if held.disaggregation_mode == "null":
        return None
    backup = given["disaggregation_decode_retraction_backup"] == "host_pool"
    clashes = {
        f"transfer backend {held.disaggregation_transfer_backend}": (
            held.disaggregation_transfer_backend != "mooncake"
        ),
        "pp-size above 1 and disaggregation": held.pp_size != 1,
        "drafts and disaggregation": held.speculative_algorithm is not None,
        "SGLANG_DISABLE_LAZY_COMPACTION": given.switched_on("SGLANG_DISABLE_LAZY_COMPACTION"),
        "enable-hisparse": given["enable_hisparse"],
        "dcp and disaggregation": held.dcp_size > 1,
        "decode offload of this model": (
            given["disaggregation_decode_enable_offload_kvcache"]
            and (given["hicache_storage_backend"] != "file" or given.model.is_mla or _hybrid(given))
        ),
        "host_pool retraction of a hybrid model": backup and given.model.architecture.is_hybrid,
    }
    clash = next((what for what, on in clashes.items() if on), None)
    return None if clash is None else f"does not go with {clash}"


def _hybrid(given: Given) -> bool:
    model = given.model.architecture
    return model.family in HYBRID_WINDOW or model.is_hybrid


def _drafts(given: Given, held: SglangSettings) -> str | None:
    """Say which backend does not verify drafts in the pool (`kv_cache_hook.py:501`)."""
    algorithm = held.speculative_algorithm
    if algorithm is None:
        return None
    allowed = LATENT if algorithm == "DSPARK" or given.model.is_mla else VERIFYING
    allowed |= {"fa4"} if algorithm == "DSPARK" else set()
    allowed = VERIFYING if algorithm == "DFLASH" else allowed
    allowed -= {"flashinfer"} if held.dcp_size > 1 and algorithm in {"DSPARK", "DFLASH"} else set()
    pair = (held.prefill_backend, held.decode_backend)
    wrong = next((each for each in pair if each is not None and each not in allowed), None)
    if wrong is not None:
        return f"with {algorithm} does not take attention backend {wrong}"
    draft = held.speculative_draft_attention_backend
    chosen = (draft,) if draft else pair
    wrong = next((each for each in chosen if each not in VERIFYING), None)
    if algorithm in {"EAGLE", "EAGLE3"} and wrong is not None:
        return f"with {algorithm} does not take draft backend {wrong}"
    return None


def _backends(given: Given, held: SglangSettings) -> str | None:
    allowed = LATENT if given.model.is_mla else UNEVEN if given.model.has_asymmetric_kv else HEADS
    if held.dcp_size > 1:
        if not given.model.is_mla:
            return "with dcp needs latent attention"
        allowed &= SHARED
    for backend in (held.prefill_backend, held.decode_backend):
        if backend is not None and backend not in allowed:
            return f"is not read by attention backend {backend}"
    return None


def _kernels(given: Given, held: SglangSettings) -> str | None:
    latent = given.model.is_mla
    decode = held.linear_attn_decode_backend or held.linear_attn_backend
    prefill = given["linear_attn_prefill_backend"] or held.linear_attn_backend
    extra = {"cutedsl", "helion"} if latent else set()
    if decode not in {"triton", "flashinfer"} | extra:
        return f"does not take linear-attn-decode-backend {decode}"
    if prefill not in {"triton", "flashkda", "flashinfer"} | extra:
        return f"does not take linear-attn-prefill-backend {prefill}"
    return None if held.mamba_backend == "triton" else f"needs mamba-backend triton, not {held.mamba_backend}"
