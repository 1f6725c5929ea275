"""A draft algorithm that does not follow attention data parallelism.

## Why

STANDALONE and NGRAM know no attention data parallelism at all. DFLASH and DSPARK borrow the target's head,
which every attention group must then hold whole, and DSPARK works with three of the expert exchanges.

## Fix

Set `enable-dp-lm-head` for DFLASH and DSPARK; use EAGLE or EAGLE3 otherwise.

## References

- SGLang 0.5.23 `arg_groups/speculative_hook.py:304`-`:317`, `:675`-`:708`, `:1082`, `:1369`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, joins_attention_dp, refuse, sglang_rule

BORROWS = ("DFLASH", "DSPARK")
DSPARK_EXCHANGES = ("none", "megamoe", "mori")
COORDINATION = "SGLANG_ENABLE_DP_SPEC_PREFILL_COORDINATION"
RAGGED = "SGLANG_RAGGED_VERIFY_MODE"


@sglang_rule("SPC306", "draft-with-attention-dp", source="speculative_hook.py:1082")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the algorithm with the attention groups."""
    held = view.settings
    algorithm, groups = algorithm_of(view), held.attn_dp_size
    if not joins_attention_dp(view) or algorithm is None:
        return
    where = f"speculative-algorithm {algorithm} with attention data parallelism"
    if algorithm in ("STANDALONE", "NGRAM"):
        message = f"speculative-algorithm {algorithm} does not work with attn-dp-size {groups}"
        yield refuse(view, "speculative_algorithm", message, "use NEXTN, EAGLE or EAGLE3")
    if algorithm in BORROWS:
        if not held.enable_dp_lm_head:
            yield refuse(view, "speculative_algorithm", f"{where} needs enable-dp-lm-head", "add it")
        if held.attn_cp_size != 1:
            yield refuse(view, "attn_cp_size", f"{where} needs attn-cp-size 1", "use attn-cp-size 1")
    if algorithm == "DFLASH" and view.env_on(COORDINATION):
        yield refuse(view, COORDINATION, f"{where} needs {COORDINATION} off", f"unset {COORDINATION}")
    if algorithm == "DSPARK" and groups > 1:
        yield from _exchange(view, where)


def _exchange(view: SglangView, where: str) -> Iterator[Violation]:
    exchange, own = view.settings.moe_a2a_backend, view.arguments["speculative_moe_a2a_backend"]
    if exchange not in DSPARK_EXCHANGES:
        message = f"{where} does not work with moe-a2a-backend {exchange}"
        yield refuse(view, "moe_a2a_backend", message, "use moe-a2a-backend megamoe or mori, or none")
    ragged = view.env.get(RAGGED, "static")
    if (exchange != "none" or view.env_on(COORDINATION)) and ragged != "static":
        yield refuse(view, RAGGED, f"{where} needs {RAGGED} static, not {ragged}", f"unset {RAGGED}")
    if own is not None and own != exchange:
        message = f"DSPARK drafts by the target's exchange {exchange}, not speculative-moe-a2a-backend {own}"
        yield refuse(view, "speculative_moe_a2a_backend", message, "remove speculative-moe-a2a-backend")
