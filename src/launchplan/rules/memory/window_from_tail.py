"""A much longer window is reserved than the longest requests use.

## Why

A server must be able to hold one request of max_model_len before it starts, and a client that runs away may
use all of it. OPS103 speaks of windows that nobody asked for; this rule of one that is written and more than
twice the workload's own tail.

## Fix

Set `serve.max_model_len` to what the longest requests hold.

## References

- "Kimi K3 serving FAQ: the memory budget, cold start, sizing" (2026)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.given import serve_value
from launchplan.rules.rule import WARNING, Violation, rule

FACTOR = 2


@rule(
    "MEM209",
    "window-from-tail",
    severity=WARNING,
    source="Kimi K3 serving FAQ (2026)",
    at="run",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the written window with the longest requests."""
    tail = pool.deployment.recipe.value.workload.tail_context_tokens
    window, path = serve_value(pool, "max_model_len")
    if tail is None or not isinstance(window, int) or window <= FACTOR * tail:
        return
    message = f"max_model_len {window:,} is {window / tail:.1f} times tail_context_tokens {tail:,}"
    yield Violation(message, path, f"lower it towards {tail}")
