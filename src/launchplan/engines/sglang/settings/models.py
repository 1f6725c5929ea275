"""What a model class sets by itself when the command leaves it open.

SGLang 0.5.23: `arg_groups/model_overrides/`, `arg_groups/overrides.py:309`. All read the values that held
before the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from launchplan.engines.sglang.settings import classes
from launchplan.engines.sglang.settings import hybrid_models as hybrid
from launchplan.engines.sglang.settings import latent_models as latent
from launchplan.engines.sglang.settings.attention import unset
from launchplan.engines.sglang.settings.given import Given, Step
from launchplan.engines.sglang.settings.types import SglangSettings, changed


def _muse_spark(_given: Given, now: SglangSettings) -> SglangSettings:
    if now.mm_enable_dp_encoder is None and now.attn_dp_size > 1:
        now = changed(now, mm_enable_dp_encoder=True)
    return changed(now, kv_cache_dtype="fp8_e4m3") if now.kv_cache_dtype == "auto" else now


def _step3(given: Given, now: SglangSettings) -> SglangSettings:
    if unset(now):
        now = hybrid.set_attention(now, "fa4" if given.blackwell else "fa3" if given.hopper else None)
    if now.speculative_algorithm == "EAGLE":
        now = changed(now, enable_multi_layer_eagle=True)
    return changed(now, swa_full_tokens_ratio=1.0) if now.enable_hierarchical_cache else now


def _beam(given: Given, now: SglangSettings) -> SglangSettings:
    if unset(now) and given.major in {9, 10, 12}:
        now = hybrid.set_attention(now, "trtllm_mha")
    packed = (now.quantization or given.model.config_method) == "modelopt_fp4"
    return (
        hybrid.set_runner(now, "flashinfer_trtllm")
        if packed and given.sm100 and now.moe_a2a_backend == "none"
        else now
    )


def _cohere2(given: Given, now: SglangSettings) -> SglangSettings:
    stored = given.model.architecture.quantization
    packed = stored.quant_method == "compressed-tensors" and "nvfp4" in stored.formats
    fits = given.sm100 and (given.model.method is None or packed)
    return hybrid.set_runner(now, "flashinfer_trtllm") if fits else now


def _embedding_gemma2(_given: Given, now: SglangSettings) -> SglangSettings:
    return changed(now, disable_radix_cache=True, attention_backend=now.attention_backend or "triton")


def _exaone(given: Given, now: SglangSettings) -> SglangSettings:
    if (
        given.model.architecture.dims.get("sliding_window_pattern") is None
        or now.attention_backend is not None
    ):
        return now
    return hybrid.set_attention(now, "trtllm_mha" if given.sm100 else "fa3" if given.major >= 8 else "triton")


def _gemma4(given: Given, now: SglangSettings) -> SglangSettings:
    diffusion = given.model.name == "DiffusionGemmaForBlockDiffusion"
    if now.attention_backend is None:
        now = hybrid.set_attention(now, "trtllm_mha" if given.sm100 and not diffusion else "triton")
    if given.sm100 and now.moe_runner_backend == "auto" and hybrid.method_of(given, now) == "modelopt_fp4":
        now = changed(now, quantization="modelopt_fp4", moe_runner_backend="flashinfer_trtllm")
    return now


def _glm4(given: Given, now: SglangSettings) -> SglangSettings:
    if not given.sm100:
        return now
    now = hybrid.declared(given, now)
    fits = now.quantization in {"modelopt_fp4", None} and now.moe_a2a_backend == "none"
    return hybrid.set_runner(now, "flashinfer_trtllm") if fits else now


def _gpt_oss(given: Given, now: SglangSettings) -> SglangSettings:
    packed = given.model.config_method == "mxfp4"
    if unset(now):
        now = hybrid.set_attention(now, "trtllm_mha" if given.sm100 else "fa3" if given.hopper else "triton")
    if packed:
        now = changed(now, dtype="bfloat16")
    if packed and (given.sm100 or given.sm120):
        return hybrid.set_runner(now, "flashinfer_mxfp4")
    # `triton_kernel` comes next where the package triton_kernels is installed; SGLang does not require it.
    return now


def _inkling(given: Given, now: SglangSettings) -> SglangSettings:
    if given["swa_full_tokens_ratio"] is None:
        now = changed(now, swa_full_tokens_ratio=0.1)
    if given["mamba_full_memory_ratio"] is None:
        now = changed(now, mamba_full_memory_ratio=0.1)
    if now.mamba_radix_cache_strategy == "auto":
        now = changed(now, mamba_radix_cache_strategy="extra_buffer")
    if not now.disable_radix_cache:
        now = changed(now, uses_mamba_radix_cache=True)
    return hybrid.set_attention(now, "fa4" if given.major in {9, 10} else "triton") if unset(now) else now


def _iquest(_given: Given, now: SglangSettings) -> SglangSettings:
    if unset(now):
        return hybrid.set_attention(now, "fa3")
    if now.attention_backend is not None:
        return now
    return changed(
        now,
        prefill_attention_backend=now.prefill_attention_backend or "fa3",
        decode_attention_backend=now.decode_attention_backend or "fa3",
    )


def _llama4(given: Given, now: SglangSettings) -> SglangSettings:
    if now.attention_backend is None:
        now = hybrid.set_attention(now, "trtllm_mha" if given.sm100 else "fa3" if given.hopper else "triton")
    fp8 = now.quantization in {"fp8", "modelopt_fp8"}
    return hybrid.set_runner(now, "flashinfer_trtllm") if given.sm100 and fp8 else now


def _mimo(given: Given, now: SglangSettings) -> SglangSettings:
    if now.speculative_algorithm == "EAGLE":
        now = changed(now, enable_multi_layer_eagle=True)
    if given.sm100 and unset(now):
        now = hybrid.set_attention(now, "fa4")
    if given.model.config_method != "fp8":
        return now
    packed = bool(given.model.fp4_experts)
    if given.sm100 and now.moe_a2a_backend == "none":
        return hybrid.set_runner(now, "flashinfer_mxfp4" if packed else "flashinfer_trtllm")
    return hybrid.set_runner(now, "marlin") if given.hopper and packed else now


def _minicpm(given: Given, now: SglangSettings) -> SglangSettings:
    dims = given.model.architecture.dims
    sparse = dims.get("has_minicpm_sparse_attention") is True
    if sparse or dims.get("has_lightning_layers") is True:
        now = changed(now, disable_radix_cache=True)
    if sparse and unset(now):
        now = hybrid.set_attention(now, "minicpm_flashinfer" if given.blackwell else "minicpm_flashattn")
    return now


def _moss(_given: Given, now: SglangSettings) -> SglangSettings:
    return changed(now, prefill_attention_backend="flashinfer") if unset(now) else now


def _olmo2(given: Given, now: SglangSettings) -> SglangSettings:
    if now.attention_backend is not None:
        return now
    return hybrid.set_attention(now, "trtllm_mha" if given.sm100 else "fa3" if given.major >= 8 else "triton")


def _bfloat16(given: Given, now: SglangSettings) -> SglangSettings:
    return latent.deepseek(given, changed(now, dtype="bfloat16"))


DEFAULTS: Mapping[str, Step] = {
    **dict.fromkeys(classes.DEEPSEEK, latent.deepseek),
    **dict.fromkeys(("MistralLarge3ForCausalLM", "PixtralForConditionalGeneration"), _bfloat16),
    "DeepseekV4ForCausalLM": latent.deepseek_v4,
    "KimiK3ForConditionalGeneration": latent.kimi_k3,
    **dict.fromkeys(classes.BAILING_V3, latent.bailing_v3),
    **dict.fromkeys(("GigaChat35ForCausalLM", "GigaChat35ForCausalLMNextN"), latent.gigachat),
    "MuseSparkForConditionalGeneration": _muse_spark,
    "BeamForCausalLM": _beam,
    **dict.fromkeys(("Cohere2VisionForConditionalGeneration", "Cohere2MoeForCausalLM"), _cohere2),
    "EmbeddingGemma2Model": _embedding_gemma2,
    **dict.fromkeys(classes.EXAONE, _exaone),
    **dict.fromkeys(classes.FALCON_H1, hybrid.on_sm100("triton")),
    **dict.fromkeys(
        ("MiniCPMV4_6ForConditionalGeneration", "MiniCPMV4_7ForConditionalGeneration"),
        hybrid.on_sm100("triton"),
    ),
    **dict.fromkeys(classes.LFM2, hybrid.on_sm100("flashinfer")),
    "GraniteMoeHybridForCausalLM": hybrid.granite,
    **dict.fromkeys((*classes.GEMMA4, "DiffusionGemmaForBlockDiffusion"), _gemma4),
    "Glm4MoeForCausalLM": _glm4,
    "GptOssForCausalLM": _gpt_oss,
    **dict.fromkeys(classes.INKLING, _inkling),
    **dict.fromkeys(classes.IQUEST, _iquest),
    **dict.fromkeys(classes.LLAMA4, _llama4),
    **dict.fromkeys(classes.MIMO_V2, _mimo),
    **dict.fromkeys(classes.MINICPM, _minicpm),
    "MiniMaxM2ForCausalLM": hybrid.minimax_m2,
    **dict.fromkeys(classes.MINIMAX_M3, hybrid.minimax_m3),
    "MossVLForConditionalGeneration": _moss,
    "Olmo2ForCausalLM": _olmo2,
    **dict.fromkeys(classes.NEMOTRON_H, hybrid.nemotron),
    "Qwen3MoeForCausalLM": hybrid.qwen_moe,
    **dict.fromkeys(classes.QWEN_HYBRID, hybrid.qwen_hybrid_moe),
    "InternS2MobiusForConditionalGeneration": hybrid.mobius,
    "Qwen4ExpForConditionalGeneration": hybrid.qwen4,
    **dict.fromkeys(
        ("Qwen3VLForConditionalGeneration", "Qwen3VLMoeForConditionalGeneration"), hybrid.qwen_vl
    ),
}
"""A class's own defaults."""


def defaults(given: Given, now: SglangSettings) -> SglangSettings:
    """Apply a class's own defaults; Step 3.x is known by a part of its name (`overrides.py:331`)."""
    name = given.model.name
    own = DEFAULTS.get(name)
    if own is None and ("Step3p5ForCausalLM" in name or "Step3p7ForConditionalGeneration" in name):
        own = _step3
    return own(given, now) if own else now


def late(given: Given, now: SglangSettings) -> SglangSettings:
    """Apply what follows a class's defaults."""
    step = latent.LATE.get(given.model.name)
    return step(given, now) if step else now
