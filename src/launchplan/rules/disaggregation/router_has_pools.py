"""A router without pools behind it, or a transfer between pools that are not there.

## Why

launchplan's router hands requests to prefill and decode pools. Without `pools` it would be started with no
backend: it is healthy then, and answers every request with 503.

## Fix

Describe `pools`, or remove `router` and `transfer`.

## References

- seen with vllm-router 0.1.17: `503 No available workers (all circuits open or unhealthy)`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved
from launchplan.rules.rule import ERROR, Violation, rule


@rule("DIS104", "router-has-pools", severity=ERROR, source="vllm-router 0.1.17, run without backends")
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look for what only pools make sense of."""
    recipe = resolved.deployment.recipe.value
    if recipe.pools is not None:
        return
    for key in ("router", "transfer"):
        if getattr(recipe, key) is not None:
            yield Violation(f"{key} has no pools to serve", (key,), f"describe pools, or remove {key}")
