"""A way of accepting drafted tokens that the algorithm does not have.

## Why

Rejection sampling and block verification need the draft's full distributions, along one chain of tokens.
Only EAGLE-like drafts give them (block verification: DFLASH and DSPARK too), and accept thresholds mean
nothing there.

## Fix

Use top-k 1 with EAGLE or EAGLE3, or remove the switch.

## References

- SGLang 0.5.23 `arg_groups/speculative_hook.py:177`, `:1216`, `:1222`, `:1234`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, refuse, sglang_rule

REJECTION = "speculative_use_rejection_sampling"
BLOCK = "speculative_use_block_verification"
CHAINS = ("EAGLE", "EAGLE3")
BLOCKS = (*CHAINS, "DFLASH", "DSPARK")
THRESHOLDS = ("speculative_accept_threshold_single", "speculative_accept_threshold_acc")


@sglang_rule("SPC309", "verification-mode", source="speculative_hook.py:1216")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the way of accepting with the algorithm."""
    given, held = view.arguments, view.settings
    algorithm = algorithm_of(view)
    if given[BLOCK] and algorithm not in BLOCKS:
        message = f"speculative-use-block-verification does not work with algorithm {algorithm or 'none'}"
        yield refuse(view, BLOCK, message, "remove speculative-use-block-verification")
    by_block = given[BLOCK] and algorithm in CHAINS
    if algorithm not in (*CHAINS, "STANDALONE") or not (given[REJECTION] or by_block):
        return
    name = REJECTION if given[REJECTION] else BLOCK
    flag = name.replace("_", "-")
    if algorithm == "STANDALONE":
        message = f"{flag} does not work with speculative-algorithm STANDALONE"
        yield refuse(view, name, message, f"remove {flag}")
        return
    top = held.speculative_eagle_topk
    if top is not None and top != 1:
        yield refuse(view, name, f"{flag} needs speculative-eagle-topk 1, not {top}", "use top-k 1")
    for threshold in THRESHOLDS:
        if given[threshold] != 1.0:
            message = f"{flag} has no use for {threshold.replace('_', '-')} {given[threshold]}"
            yield refuse(view, threshold, message, f"remove {threshold.replace('_', '-')}")
