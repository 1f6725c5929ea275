"""An all-to-all buffer that is smaller than a prefill chunk or a decode batch.

## Why

The exchanges allot a buffer for a number of tokens per rank before the first request. SGLang works out what a
prefill chunk and the largest CUDA graph need and refuses a buffer that is smaller; the defaults of DeepEP v2
and pplx (128 tokens) fit a decode instance, not a prefill.

## Fix

Lower `chunked-prefill-size` (or the CUDA graph's batch), or raise the variable that the message names.

## References

- SGLang 0.5.23 `arg_groups/moe_hook.py:567`, `:615`, `:689`, `:700`, `:764`, `:775`;
  `arg_groups/mega_moe_hook.py:167`, `:192`, `:228`, `:241`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.exchange import decode_tokens, fused_need, has_fallback
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import env_number, prefill_tokens, refuse, sglang_rule

VARIABLES = {
    "mori": ("SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK", 4096),
    "pplx": ("SGLANG_PPLX_NUM_MAX_DISPATCH_TOKENS_PER_RANK", 128),
    "deepep_v2": ("SGLANG_DEEPEP_V2_NUM_MAX_DISPATCH_TOKENS_PER_RANK", 128),
    "megamoe": ("SGLANG_OPT_DEEPGEMM_MEGA_MOE_NUM_MAX_TOKENS_PER_RANK", 8192),
}
"""The variable that sizes a buffer, and its default (`environ.py`)."""
FLASHINFER = "SGLANG_FLASHINFER_NUM_MAX_DISPATCH_TOKENS_PER_RANK"
FLASHINFER_LEAST = 4096


@sglang_rule("ENG357", "a2a-buffers-hold-tokens", source="moe_hook.py:567")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the exchange's buffer with the most tokens of one step."""
    held = view.settings
    exchange = held.moe_a2a_backend
    if not held.complete or held.attn_dp_size < 1:
        return
    if exchange == "flashinfer":
        yield from _flashinfer(view)
    if exchange not in VARIABLES or (exchange == "megamoe" and has_fallback(view)):
        return
    variable, default = VARIABLES[exchange]
    capacity, need = env_number(view, variable, default), _need(view)
    if need is None:
        message = f"moe-a2a-backend {exchange} needs chunked prefill, chunked-prefill-size is -1"
        yield refuse(view, "chunked_prefill_size", message, "set chunked-prefill-size")
    elif need > capacity:
        message = f"moe-a2a-backend {exchange} has room for {capacity} tokens a rank, a step takes {need}"
        yield refuse(view, "chunked_prefill_size", message, f"lower chunked-prefill-size, or set {variable}")


def _need(view: SglangView) -> int | None:
    held, given = view.settings, view.arguments
    if held.moe_a2a_backend == "megamoe":
        return fused_need(view)
    decoding = held.disaggregation_mode == "decode"
    if held.moe_a2a_backend == "deepep_v2":
        ceiling = prefill_tokens(view) or held.max_prefill_tokens or 0
        ranks = max(1, held.tp_size // held.attn_dp_size)
        return max(0 if decoding else -(-ceiling // ranks), decode_tokens(view))
    chunk = view.after("moe.all_to_all").chunked_prefill_size or 0
    if chunk <= 0 or decoding:
        return 0
    graph = given["cuda_graph_max_bs_decode"] or 0
    return max(chunk, graph) if held.moe_a2a_backend == "pplx" else chunk


def _flashinfer(view: SglangView) -> Iterator[Violation]:
    held = view.settings
    decoding = held.disaggregation_mode == "decode"
    if not decoding and (held.chunked_prefill_size or 0) <= 0:
        message = "moe-a2a-backend flashinfer needs chunked prefill, chunked-prefill-size is -1"
        yield refuse(view, "chunked_prefill_size", message, "set chunked-prefill-size")
        return
    capacity = env_number(view, FLASHINFER, max(prefill_tokens(view), FLASHINFER_LEAST))
    graph = held.prefill_graph.max_bs or 0 if held.prefill_graph.on else 0
    need = max(0 if decoding else max(prefill_tokens(view), graph), decode_tokens(view))
    if need > capacity:
        message = f"moe-a2a-backend flashinfer has room for {capacity} tokens a rank, a step takes {need}"
        yield refuse(
            view, "chunked_prefill_size", message, f"lower chunked-prefill-size, or set {FLASHINFER}"
        )
