"""Speculative decoding over pipeline stages.

## Why

SGLang drafts over pipeline stages on prefill instances only, and with EAGLE (MTP) or DSPARK alone; an
experimental switch allows EAGLE in one server that does both.

## Fix

Use `pp: 1`, or no speculative decoding.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:123`-`:164`; `arg_groups/speculative_hook.py:320`, `:715`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, joins_attention_dp, refuse, sglang_rule

EXPERIMENT = "SGLANG_ENABLE_PP_SPEC"
CURE = "use pp 1, or no speculative decoding"


@sglang_rule("SPC307", "draft-with-pipeline", source="validation_hook.py:133")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the algorithm with the pipeline stages."""
    held = view.settings
    algorithm, role = algorithm_of(view), held.disaggregation_mode
    if held.pp_size <= 1 or algorithm is None or algorithm == "UNO":
        return
    experiment = view.env_on(EXPERIMENT)
    if algorithm == "DSPARK":
        if role != "prefill":
            message = f"speculative-algorithm DSPARK with pp {held.pp_size} works on prefill instances only"
            yield refuse(view, "speculative_algorithm", message, CURE)
        elif experiment:
            yield refuse(view, EXPERIMENT, f"{EXPERIMENT} does not work with DSPARK", f"unset {EXPERIMENT}")
    elif algorithm != "EAGLE" or held.enable_multi_layer_eagle:
        what = "multi-layer EAGLE" if algorithm == "EAGLE" else algorithm
        message = f"speculative-algorithm {what} does not work with pp {held.pp_size}"
        yield refuse(view, "speculative_algorithm", message, CURE)
    elif experiment:
        yield from _experiment(view)
    elif role != "prefill":
        message = f"speculative-algorithm EAGLE with pp {held.pp_size} works on prefill instances only"
        yield refuse(view, "speculative_algorithm", message, CURE)


def _experiment(view: SglangView) -> Iterator[Violation]:
    if view.settings.disaggregation_mode != "null":
        message = f"{EXPERIMENT} does not work with disaggregation"
        yield refuse(view, "disaggregation_mode", message, f"unset {EXPERIMENT}")
    if view.arguments["speculative_adaptive"]:
        message = f"{EXPERIMENT} does not work with speculative-adaptive"
        yield refuse(view, "speculative_adaptive", message, "remove speculative-adaptive")
    if joins_attention_dp(view):
        message = f"{EXPERIMENT} does not work with attention data parallelism"
        yield refuse(view, "attn_dp_size", message, CURE)
