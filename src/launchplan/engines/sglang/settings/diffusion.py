"""Diffusion language models (`arg_groups/dllm_hook.py`, `arg_groups/overrides.py:1671`, 0.5.23)."""

from __future__ import annotations

from launchplan.engines.sglang.settings.given import Given
from launchplan.engines.sglang.settings.types import SglangSettings, changed

BLOCKS = {
    "LLaDA2MoeModelLM": 32,
    "SDARForCausalLM": 4,
    "SDARMoeForCausalLM": 4,
    "DiffusionGemmaForBlockDiffusion": 256,
}
"""Tokens that are denoised together, by class (`dllm/config.py:53`)."""
RENOISE, RENOISE_BACKENDS = "Gemma4Renoise", frozenset({"triton", "fa4"})
"""The algorithm with attention backends of its own (`dllm/algorithm/gemma4_renoise.py:76`)."""


def denoising(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle backend, page and scheduler of a diffusion model."""
    algorithm, block = given["dllm_algorithm"], BLOCKS.get(given.model.name)
    if algorithm is None or block is None:
        return now
    now = _backend(algorithm, now)
    page = now.page_size or 1
    if (not now.disable_radix_cache and page % block) or page > block:
        page = block
    hierarchical = now.enable_hierarchical_cache and now.disable_radix_cache
    now = changed(now, page_size=page, disable_overlap_schedule=True, pp_size=min(now.pp_size, 1))
    return changed(
        now, disaggregation_mode="null", enable_mixed_chunk=False, enable_hierarchical_cache=hierarchical
    )


def _backend(algorithm: str, now: SglangSettings) -> SglangSettings:
    if algorithm == RENOISE:
        chosen = (now.attention_backend, now.prefill_attention_backend, now.decode_attention_backend)
        if now.attention_backend in RENOISE_BACKENDS and {*chosen} <= {None, *RENOISE_BACKENDS}:
            return now
        return changed(
            now,
            attention_backend="triton",
            prefill_attention_backend="triton",
            decode_attention_backend="triton",
        )
    return changed(now, attention_backend="flashinfer") if now.decode_graph.on else now
