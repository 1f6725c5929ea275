"""Settings of recurrent state that exclude each other.

## Why

Stochastic rounding, the int8 copy of states and the limits of a path exist for one data type, GPU or cache
each.

## Fix

Change what the message names, or leave the flag out.

## References

- SGLang 0.5.23 `arg_groups/mamba_hook.py:19`, `:74`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

STATES, ROUNDING = "mamba_max_states_per_path", "enable_mamba_cache_stochastic_rounding"
INT8 = "enable_int8_mamba_checkpoint"


@sglang_rule("ENG306", "mamba-state-settings", source="mamba_hook.py:19")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the settings with each other."""
    arguments, held = view.arguments, view.settings
    states, rounds = arguments[STATES], arguments["mamba_cache_philox_rounds"]
    if rounds is not None and rounds < 0:
        message = f"mamba-cache-philox-rounds is {rounds}, 0 is the least"
        yield refuse(view, "mamba_cache_philox_rounds", message, "leave it out")
    if states is not None and (states == 0 or states < -1):
        message = f"mamba-max-states-per-path is {states}; -1 is no limit, 1 the least"
        yield refuse(view, STATES, message, "leave it out")
    if arguments[ROUNDING]:
        yield from _rounding(view)
    clashes = {
        "enable-hierarchical-cache": held.enable_hierarchical_cache,
        "radix-cache-backend": arguments["radix_cache_backend"] is not None,
        "enable-lmcache": arguments["enable_lmcache"],
    }
    for what, on in clashes.items() if arguments[INT8] else ():
        if on:
            message = f"enable-int8-mamba-checkpoint does not go with {what}"
            yield refuse(view, INT8, message, f"remove {what}")


def _rounding(view: SglangView) -> Iterator[Violation]:
    held = view.after("moe.allreduce_fusion")
    flag = ROUNDING.replace("_", "-")
    if held.mamba_ssm_dtype != "float16":
        message = f"{flag} needs mamba-ssm-dtype float16, not {held.mamba_ssm_dtype or 'the default'}"
        yield refuse(view, ROUNDING, message, "add mamba-ssm-dtype float16")
    elif view.given is not None and held.mamba_backend == "triton" and not view.given.sm100:
        message = f"{flag} with mamba-backend triton needs compute capability 10.x"
        yield refuse(view, ROUNDING, message, "use mamba-backend flashinfer")
