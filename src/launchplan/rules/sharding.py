"""Which layouts and attention backends read a KV cache whose pages are split over ranks.

SGLang 0.5.23, `arg_groups/kv_shard_hook.py`.
"""

from __future__ import annotations

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.sglang import first_class, joins_attention_dp

SPARSE = frozenset({
    "DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM", "DeepseekV3ForCausalLMNextN",
    "MistralLarge3ForCausalLM", "PixtralForConditionalGeneration", "GlmMoeDsaForCausalLM",
    "GlmMoeDsaForCausalLMNextN", "Glm5NextForConditionalGenerationNextN", "Glm5NextForConditionalGeneration",
    "LongcatFlashForCausalLM", "LongcatFlashForCausalLMNextN", "Dots3NoteForCausalLM",
    "Dots3NoteForCausalLMNextN", "HYV4ForCausalLM", "HYV4ForCausalLMNextN",
})  # fmt: skip
"""Classes with DeepSeek's sparse attention where `index_topk` is given (`configs/model_config.py:191`)."""
SPARSE_PAGE = 64


def is_sparse(view: SglangView) -> bool:
    """Tell whether the model has DeepSeek's sparse attention, as SGLang decides it."""
    model = view.architecture
    return model is not None and first_class(view) in SPARSE and model.dims.get("index_topk") is not None


def layout_problem(view: SglangView) -> str | None:
    """Say why pages can't be split over these ranks (`kv_shard_hook.py:237`)."""
    held, model = view.settings, view.architecture
    context = held.attn_cp_size
    if model is not None and model.is_mla and context <= 1:
        if joins_attention_dp(view):
            return "of MLA needs attn-dp-size 1 or prefill context parallelism"
        if held.tp_size <= 1:
            return "of MLA needs tp-size above 1"
    if model is not None and not model.is_mla and (not held.enable_prefill_cp or context <= 1):
        return "needs prefill context parallelism: enable-prefill-cp with attn-cp-size above 1"
    if not held.complete:
        return None
    if (held.page_size or 1) <= 1:
        return "needs a page-size above 1"
    chunk = held.chunked_prefill_size
    return "needs chunked prefill" if chunk is None or chunk <= 0 else None


def attention_problem(view: SglangView) -> str | None:
    """Say why the prefill's attention can't read split pages (`kv_shard_hook.py:28`)."""
    held, model = view.settings, view.architecture
    backend = held.prefill_backend
    if not held.complete or model is None:
        return None
    if model.dims.get("attention_chunk_size") is not None or model.dims.get("is_encoder_decoder"):
        return "does not work with chunked attention or an encoder"
    if backend == "dsa":
        return _sparse_problem(view)
    if is_sparse(view):
        return "of sparse attention needs attention-backend dsa"
    if backend == "fa3":
        return None
    if backend != "trtllm_mla" or not model.is_mla:
        return f"needs prefill attention backend fa3, or trtllm_mla for MLA, not {backend}"
    if held.attn_cp_size > 1:
        return "with trtllm_mla needs attn-cp-size 1"
    return "with trtllm_mla needs chunked prefix cache" if _no_prefix_chunks(view) else None


def _no_prefix_chunks(view: SglangView) -> bool:
    return bool(view.arguments["disable_chunked_prefix_cache"])


def _sparse_problem(view: SglangView) -> str | None:
    held, given = view.settings, view.arguments
    nvidia = view.gpu is None or view.gpu.vendor == "nvidia"
    context = held.enable_prefill_cp and held.attn_cp_size > 1 and held.cp_strategy == "interleave"
    if not (nvidia and context and held.pp_size == 1):
        return "of sparse attention needs interleaved prefill context parallelism and pp 1"
    backends = (held.dsa_prefill_backend, held.dsa_decode_backend)
    if backends != ("trtllm", "trtllm") or held.kv_cache_dtype != "fp8_e4m3" or held.page_size != SPARSE_PAGE:
        return "of sparse attention needs DSA backends trtllm, FP8 KV cache and page-size 64"
    mooncake = given["disaggregation_transfer_backend"] in ("mooncake", "mooncake_tcp")
    if not mooncake or given["enable_dsa_cache_layer_split"]:
        return "of sparse attention needs transfer backend mooncake and no layer split"
    return None
