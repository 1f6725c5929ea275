"""A choice of expert copies that differs from rank to rank where it must not.

## Why

With redundant experts each rank picks a copy of an expert. Without an all-to-all backend all ranks work on
the same tokens and add up their results, so that the pick must be the same everywhere: `static` and `lp`
are not.

## Fix

Use `ep-dispatch-algorithm: dynamic`, or an all-to-all backend.

## References

- SGLang 0.5.23 `arg_groups/parallel_hook.py:783`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

NAME = "ep_dispatch_algorithm"
BY_RANK = ("static", "lp")


@sglang_rule("PAR311", "expert-copies-agree", source="parallel_hook.py:783")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the pick with how tokens reach the experts."""
    held = view.settings
    picked = held.ep_dispatch_algorithm
    if picked in BY_RANK and held.moe_a2a_backend == "none":
        message = f"ep-dispatch-algorithm {picked} needs a moe-a2a-backend, there is none"
        yield refuse(view, NAME, message, "use ep-dispatch-algorithm dynamic, or moe-a2a-backend deepep")
