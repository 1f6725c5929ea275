"""The format of the KV cache, and backends that depend on it (`arg_groups/kv_cache_hook.py`, 0.5.23)."""

from __future__ import annotations

from launchplan.engines.sglang.settings.given import Given
from launchplan.engines.sglang.settings.types import SglangSettings, changed

NVFP4_BACKENDS = {"fp8_e4m3": "flashinfer", "nvfp4": "trtllm_mha"}
"""Prefill backend by the format that the cache is read in (`kv_cache_hook.py:25`)."""


def fp4_prefill(given: Given, now: SglangSettings) -> SglangSettings:
    """Choose the backends of an NVFP4 cache (`kv_cache_hook.py:34`)."""
    if now.kv_cache_dtype != "nvfp4":
        return now
    wanted = now.prefill_kv_cache_dequant_dtype
    if wanted == "auto":
        explicit = now.prefill_attention_backend or now.attention_backend
        by_backend = {backend: dtype for dtype, backend in NVFP4_BACKENDS.items()}
        wanted = by_backend.get(explicit or "", "nvfp4" if given.sm100 else "fp8_e4m3")
    return changed(
        now,
        prefill_attention_backend=NVFP4_BACKENDS.get(wanted, now.prefill_attention_backend),
        decode_attention_backend="trtllm_mha",
        prefill_kv_cache_dequant_dtype=wanted,
    )


def fp4_drafts(given: Given, now: SglangSettings) -> SglangSettings:
    """Give draft models of an NVFP4 cache its own backend (`kv_cache_hook.py:204`)."""
    pair = (now.prefill_backend, now.decode_backend)
    if now.kv_cache_dtype != "nvfp4" or not given.sm100 or "trtllm_mha" not in pair:
        return now
    algorithm = (now.speculative_algorithm or "").upper()
    if algorithm not in {"", "NGRAM"} and now.speculative_draft_attention_backend is None:
        now = changed(now, speculative_draft_attention_backend="trtllm_mha")
    mixed = pair == ("flashinfer", "trtllm_mha")
    if mixed and algorithm and now.speculative_attention_mode == "prefill":
        now = changed(now, speculative_attention_mode="decode")
    return now


def sparse_cache(given: Given, now: SglangSettings) -> SglangSettings:
    """Choose the cache format of sparse attention (`overrides.py:491`)."""
    dtype = now.kv_cache_dtype
    if dtype == "auto":
        sinks = given.model.architecture.dims.get("learnable_sink") is True
        dtype = "fp8_e4m3" if given.major >= 10 and not sinks else "bfloat16"
    return changed(now, kv_cache_dtype="bfloat16" if dtype == "bf16" else dtype)


def sparse_backends(given: Given, now: SglangSettings) -> SglangSettings:
    """Choose the kernels of sparse attention (`overrides.py:601`)."""
    fp8 = now.kv_cache_dtype == "fp8_e4m3"
    if given.model.architecture.dims.get("learnable_sink") is True:
        prefill = decode = "flashmla_sparse"
    elif given.model.name == "GlmMoeDsaForCausalLM" and given.sm120 and fp8:
        prefill = decode = "flashinfer_sparse_mla"
    elif given["enable_hisparse"]:
        prefill = decode = "flashmla_kv" if fp8 else "flashmla_sparse"
    elif fp8:
        prefill = decode = "trtllm" if given.major >= 10 else "flashmla_kv"
    else:
        prefill, decode = "flashmla_sparse", "trtllm" if given.major >= 10 else "fa3"
    return changed(
        now,
        dsa_prefill_backend=now.dsa_prefill_backend or prefill,
        dsa_decode_backend=now.dsa_decode_backend or decode,
    )
