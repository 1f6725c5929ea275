"""Expert weights fetched from other ranks in a layout that does not allow it.

## Why

With `--dwdp-size` every rank computes all experts and fetches the weights that it lacks. It settles the whole
layout by itself: one attention replica a rank, and nothing that moves experts or drafts.

## Fix

Make `--dwdp-size` equal to `--tp-size`, and remove what the message names.

## References

- SGLang 0.5.23 `arg_groups/parallel_hook.py:433`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

NAME = "dwdp_size"


@sglang_rule("PAR310", "expert-weights-on-demand", source="parallel_hook.py:433")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the size with the layout."""
    given, held = view.arguments, view.settings
    size = given[NAME] or 1
    if size <= 1:
        return
    if size != held.tp_size:
        message = f"dwdp-size {size} is not tp-size {held.tp_size}"
        yield refuse(view, NAME, message, f"use dwdp-size {held.tp_size}")
    clashes = {
        "disaggregation-mode decode": held.disaggregation_mode == "decode",
        "enable-eplb": given["enable_eplb"],
        "speculative decoding": given["speculative_algorithm"] is not None,
        f"pp-size {held.pp_size}": held.pp_size != 1,
        "enable-two-batch-overlap": held.enable_two_batch_overlap,
    }
    for what, on in clashes.items():
        if on:
            yield refuse(view, NAME, f"dwdp-size {size} does not go with {what}", "leave dwdp-size out")
