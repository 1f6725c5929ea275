"""MTP with one drafted token.

## Why

Measured on Qwen3.8-2.4T-A95B: one token had an acceptance of 64.8 % and was a loss at higher concurrency;
three tokens more than doubled the speed of a user. Nobody has measured every model, so this is no warning,
and nothing is said of a recipe with documented or verified evidence, nor of a model that is published with
one token.

## Fix

`tokens: 3`, or no speculative decoding.

## References

- "Deploying Qwen3.8-2.4T-A95B with vLLM: Verified GPU Pods, Quants, and Serving Recipes" (2026-08-15)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.given import evidenced
from launchplan.rules.rule import INFO, Violation, rule


@rule(
    "SPC103",
    "mtp-pays",
    severity=INFO,
    source="Deploying Qwen3.8-2.4T-A95B with vLLM (dev.to, 2026-08-15)",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look for MTP with a single token."""
    wanted = pool.speculative
    if evidenced(pool.deployment) or _is_published(pool):
        return
    if wanted is not None and wanted.method == "mtp" and wanted.tokens == 1:
        message = "mtp with 1 token was a loss at higher concurrency on Qwen3.8-2.4T; 3 tokens were a gain"
        yield Violation(
            message, pool.path("speculative", "tokens"), "use tokens: 3, or leave speculative out"
        )


def _is_published(pool: ResolvedPool) -> bool:
    """Tell whether the catalog has a source for one token with this model."""
    model = pool.deployment.model
    known = model.speculative if model is not None else ()
    return any(each.method == "mtp" and each.tokens == 1 for each in known)
