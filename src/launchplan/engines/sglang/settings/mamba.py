"""Recurrent state: its radix cache and the kernels of linear attention.

SGLang 0.5.23: `arg_groups/overrides.py:453`, `arg_groups/attention_hook.py:281`,
`arg_groups/kimi_k3_hook.py`.
"""

from __future__ import annotations

from launchplan.engines.sglang.settings import classes
from launchplan.engines.sglang.settings.given import Given
from launchplan.engines.sglang.settings.types import SglangSettings, changed

EXTRA_BUFFER = frozenset({"extra_buffer", "extra_buffer_lazy"})
FLA_CHUNK = 64
"""Chunk of the linear attention kernels (`kernels/ops/attention/fla/chunk_delta_h.py`)."""


def keeps_state(given: Given) -> bool:
    """Tell whether the model's radix cache holds recurrent state (`overrides.py:453`)."""
    if given.model.name == "GraniteMoeHybridForCausalLM":
        return "mamba" in given.model.architecture.lists.get("layer_types", ())
    return given.model.name in classes.MAMBA_RADIX


def extra_buffer(now: SglangSettings) -> bool:
    """Tell whether state is kept in a second buffer (`model_override_base.py:236`)."""
    return not now.disable_radix_cache and now.mamba_radix_cache_strategy in EXTRA_BUFFER


def supports_extra_buffer(given: Given, now: SglangSettings) -> bool:
    """Tell whether model and kernels support the second buffer (`overrides.py:438`)."""
    return given.model.name in classes.MAMBA_EXTRA_BUFFER and now.linear_attn_backend == "triton"


def radix_cache(given: Given, now: SglangSettings) -> SglangSettings:
    """Choose how the radix cache keeps recurrent state (`overrides.py:453`)."""
    if not keeps_state(given) or now.disable_radix_cache:
        return now
    now = changed(now, uses_mamba_radix_cache=True)
    if now.mamba_radix_cache_strategy != "auto":
        return now
    paged = now.page_size is not None and now.page_size > 1
    wanted = not now.disable_overlap_schedule or paged
    if wanted and supports_extra_buffer(given, now):
        return changed(now, mamba_radix_cache_strategy="extra_buffer")
    return changed(now, mamba_radix_cache_strategy="no_buffer", disable_overlap_schedule=True)


def kimi_kernels(given: Given, now: SglangSettings) -> SglangSettings:
    """Choose Kimi's linear attention kernels (`kimi_k3_hook.py`, `glm5_next_hook.py`)."""
    name = given.model.name
    drafts = now.speculative_algorithm is not None
    if name == "Glm5NextForConditionalGeneration":
        verify = now.linear_attn_verify_backend
        if drafts and given.sm100:
            return changed(now, linear_attn_verify_backend=verify or "nv_cutedsl")
        return now
    if name not in classes.KIMI_HYBRID:
        return now
    if now.linear_attn_decode_backend is None and now.mamba_ssm_dtype == "bfloat16" and given.sm100:
        now = changed(now, linear_attn_decode_backend="triton")
    if not drafts:
        return now
    now = changed(now, linear_attn_verify_backend=now.linear_attn_verify_backend or "nv_cutedsl")
    free = now.speculative_draft_attention_backend is None
    if now.speculative_algorithm == "DSPARK" and free and given.sm100:
        now = changed(now, speculative_draft_attention_backend="trtllm_mha")
    return now


def linear_kernels(given: Given, now: SglangSettings) -> SglangSettings:
    """Choose the kernels of linear attention in decoding (`attention_hook.py:281`)."""
    free = now.linear_attn_decode_backend is None and now.linear_attn_backend != "helion"
    if free and given.sm100 and now.mamba_ssm_dtype == "bfloat16":
        now = changed(now, linear_attn_decode_backend="flashinfer")
    if (now.linear_attn_decode_backend or now.linear_attn_backend) == "flashkda":
        now = changed(now, linear_attn_decode_backend="triton")
    decode = now.linear_attn_decode_backend or now.linear_attn_backend
    verify = now.linear_attn_verify_backend or ("flashinfer" if decode == "flashinfer" else None)
    if given.switched_on("SGLANG_ENABLE_PP_SPEC") and verify == "flashinfer" and given.model.uses_kda:
        now = changed(now, linear_attn_verify_backend="triton")
    if given["enable_linear_replayssm_spec"] and now.mamba_ssm_dtype is None:
        now = changed(now, mamba_ssm_dtype="float32")
    return now
