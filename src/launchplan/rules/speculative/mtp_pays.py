"""MTP with one drafted token.

## Why

Measured on Qwen3.8-2.4T-A95B: one token had an acceptance of 64.8 % and was a loss at higher concurrency;
three tokens more than doubled the speed of a user. Nobody has measured every model: a recipe with documented
or verified evidence is not warned.

## Fix

`tokens: 3`, or no speculative decoding.

## References

- "Deploying Qwen3.8-2.4T-A95B with vLLM: Verified GPU Pods, Quants, and Serving Recipes" (2026-08-15)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.given import evidenced
from launchplan.rules.rule import WARNING, Violation, rule


@rule(
    "SPC103",
    "mtp-pays",
    severity=WARNING,
    source="Deploying Qwen3.8-2.4T-A95B with vLLM (dev.to, 2026-08-15)",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look for MTP with a single token."""
    wanted = pool.speculative
    if evidenced(pool.deployment):
        return
    if wanted is not None and wanted.method == "mtp" and wanted.tokens == 1:
        message = "mtp with 1 token was a loss at higher concurrency on Qwen3.8-2.4T; 3 tokens were a gain"
        yield Violation(
            message, pool.path("speculative", "tokens"), "use tokens: 3, or leave speculative out"
        )
