"""Speculative decoding beside a feature that knows no drafts.

## Why

A weight cache does not hold the draft's weights, a mixed batch cannot hold drafts of every kind, and the
coordination of prefill over data parallel ranks and the ragged verification have modes of their own.

## Fix

Remove the feature that the message names.

## References

- SGLang 0.5.23 `arg_groups/model_path_hook.py:283`; `arg_groups/speculative_hook.py:258`;
  `arg_groups/validation_hook.py:230`; `speculative/ragged_verify.py:20`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, refuse, sglang_rule
from launchplan.rules.wording import shown

COORDINATION = "SGLANG_ENABLE_DP_SPEC_PREFILL_COORDINATION"
COORDINATED = ("EAGLE", "EAGLE3", "DSPARK")
RAGGED = "SGLANG_RAGGED_VERIFY_MODE"
MODES = ("static", "cap-accept", "compact")


@sglang_rule("SPC313", "draft-companions", source="speculative_hook.py:258")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for features that know no drafts."""
    held, given = view.settings, view.arguments
    algorithm = algorithm_of(view)
    if view.env_on(COORDINATION) and (algorithm not in COORDINATED or held.enable_multi_layer_eagle):
        message = f"{COORDINATION} works with single-layer EAGLE, EAGLE3 or DSPARK only"
        yield refuse(view, COORDINATION, message, f"unset {COORDINATION}")
    if algorithm is None:
        return
    if given["weight_cache_mode"] != "off":
        message = f"weight-cache-mode {given['weight_cache_mode']} does not hold the draft's weights"
        yield refuse(view, "weight_cache_mode", message, "use weight-cache-mode off")
    if algorithm == "NONE" and given["enable_mixed_chunk"]:
        message = "enable-mixed-chunk does not work with speculative-algorithm NONE"
        yield refuse(view, "enable_mixed_chunk", message, "leave speculative-algorithm out")
    mode = view.env.get(RAGGED, "static")
    if mode not in MODES and algorithm != "NONE":
        message = f"{RAGGED} is {shown(mode)}, known are {', '.join(MODES)}"
        yield refuse(view, RAGGED, message, f"unset {RAGGED}")
