"""How many tokens a rank exchanges in one step.

SGLang 0.5.23, `arg_groups/moe_hook.py` and `arg_groups/mega_moe_hook.py`.
"""

from __future__ import annotations

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.sglang import algorithm_of, first_class, joins_attention_dp

ADAPTIVE_TOKENS = 8
"""Longest draft of the built-in adaptive plan and one more (`speculative/adaptive_spec_params.py:28`)."""
WITHOUT_FALLBACK = frozenset({
    "DeepseekV4ForCausalLM", "InternS2PreviewForConditionalGeneration", "MellumForCausalLM",
    "Qwen2MoeForCausalLM", "Qwen3MoeForCausalLM", "Qwen3NextForCausalLM",
    "Qwen3VLMoeForConditionalGeneration",
    "Qwen3_5MoeForCausalLM", "Qwen3_5MoeForConditionalGeneration",
})  # fmt: skip
"""Classes whose experts run in the fused kernel or not at all (`mega_moe_hook.py:51`)."""


def has_fallback(view: SglangView) -> bool:
    """Tell whether a step that is too large for the fused kernel runs in another one."""
    quantization = view.architecture.quantization if view.architecture else None
    # Only `config.json` counts here, not a file beside it.
    inside = quantization is not None and not quantization.separate_file
    algorithm = (quantization.quant_algo or "") if quantization is not None and inside else ""
    four_bit = view.settings.quantization in ("modelopt_fp4", "minimax_m3_nvfp4") or "FP4" in algorithm
    amd = view.gpu is not None and view.gpu.vendor == "amd"
    alone = bool(view.arguments["encoder_only"])
    return amd or alone or not (first_class(view) in WITHOUT_FALLBACK or four_bit)


def decode_tokens(view: SglangView) -> int:
    """Give the tokens of the largest decode graph on one rank (`moe_hook.py:661`)."""
    held = view.settings
    if held.disaggregation_mode == "prefill" or not held.decode_graph.on:
        return 0
    batch = held.decode_graph.max_bs or 0
    if held.max_running_requests is not None:
        batch = min(batch, max(1, held.max_running_requests // held.attn_dp_size))
    return batch * (_tokens_a_request(view) if algorithm_of(view) else 1)


def _tokens_a_request(view: SglangView) -> int:
    tokens = view.settings.speculative_num_draft_tokens or 1
    return max(tokens, ADAPTIVE_TOKENS) if view.arguments["speculative_adaptive"] else tokens


def fused_need(view: SglangView) -> int | None:
    """Give the tokens a rank of the largest step under `megamoe`; None when prefill has no bound."""
    held, decode = view.settings, 0
    if held.disaggregation_mode != "prefill":
        decode = _fused_decode(view)
    unbounded = held.pp_size > 1 and bool(view.arguments["enable_dynamic_chunking"])
    if held.disaggregation_mode == "decode" or unbounded:
        return decode
    chunk = held.chunked_prefill_size or 0
    if chunk <= 0:
        return None
    if held.enable_prefill_cp:
        return max(decode, -(-chunk // max(held.attn_cp_size, 1)))
    parts = held.attn_dp_size if joins_attention_dp(view) else 1
    align = max(held.tp_size // parts // max(held.attn_cp_size, 1), 1)
    local = chunk // parts
    return max(decode, -(-local // align) * align) if local > 0 else None


def _fused_decode(view: SglangView) -> int:
    held = view.settings
    batch = held.decode_graph.max_bs or 0
    if held.max_running_requests is not None:
        align = max(held.tp_size // held.attn_dp_size, 1)
        own = held.max_running_requests // held.attn_dp_size
        batch = min(batch, -(-own // align) * align)
    return batch * ((held.speculative_num_draft_tokens or 1) if algorithm_of(view) else 1)
