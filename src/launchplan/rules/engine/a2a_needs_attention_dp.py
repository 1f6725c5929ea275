"""An all-to-all exchange whose attention is not data parallel enough.

## Why

FlashInfer's exchange and its fused kernel expect every rank to hold tokens of its own: attention data
parallelism as wide as tensor parallelism. pplx needs two groups at least.

## Fix

Set `attn-dp-size` to `tp-size` (in a recipe: `tp: 1` and `dp` for all ranks), or take
`moe-a2a-backend deepep`.

## References

- SGLang 0.5.23 `arg_groups/moe_hook.py:325`, `:475`, `:591`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import first_class, joins_attention_dp, refuse, sglang_rule

SEQUENCE_PARALLEL = frozenset({"MuseSparkForConditionalGeneration"})
"""Classes whose prefill splits the sequence over the ranks instead (`moe_hook.py:62`)."""
SEQUENCE_RANKS = ((4, 4), (8, 8))
PPLX_GROUPS = 2


@sglang_rule("ENG353", "a2a-needs-attention-dp", source="moe_hook.py:475")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the exchange with attention data parallelism."""
    held = view.settings
    exchange, groups = held.moe_a2a_backend, held.attn_dp_size
    if exchange == "pplx" and groups < PPLX_GROUPS:
        message = f"moe-a2a-backend pplx needs attn-dp-size {PPLX_GROUPS} or more, not {groups}"
        yield refuse(view, "moe_a2a_backend", message, "set attn-dp-size, or use moe-a2a-backend deepep")
    if exchange not in ("flashinfer", "flashinfer_megamoe"):
        return
    if joins_attention_dp(view) and groups == held.tp_size:
        return
    if exchange == "flashinfer" and _splits_sequence(view):
        return
    message = f"moe-a2a-backend {exchange} needs attn-dp-size {held.tp_size} as tp-size, not {groups}"
    yield refuse(view, "moe_a2a_backend", message, f"set attn-dp-size {held.tp_size}, or use deepep")


def _splits_sequence(view: SglangView) -> bool:
    held = view.settings
    alone = not joins_attention_dp(view) and held.attn_dp_size == 1
    fits = (held.tp_size, held.ep_size) in SEQUENCE_RANKS
    split = bool(view.arguments["enable_layernorm_sp"]) and first_class(view) in SEQUENCE_PARALLEL
    return alone and fits and split
