"""The model's whole window is reserved though nobody asked for it.

## Why

Left out, `max_model_len` is the model's own window: a million tokens on some. A server must be able to hold
one request of that length before it starts, and context times concurrency is what fills the pool. The
documented advice is to take the length from the workload.

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

LARGE_WINDOW = 262_144


@rule("OPS103", "window-from-workload", severity=WARNING, source="Kimi K3 serving FAQ (2026)")
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look for a large window that is taken by default."""
    window = pool.architecture.derived_max_model_len if pool.architecture else None
    value, path = serve_value(pool, "max_model_len")
    if window is None or window <= LARGE_WINDOW or value is not None:
        return
    workload = pool.deployment.recipe.value.workload
    tokens = workload.tail_context_tokens or workload.context_tokens
    fix = (
        f"set it to the longest request; the workload says {tokens}"
        if tokens
        else "set it to the longest request"
    )
    yield Violation(f"max_model_len is left out: {window} tokens are reserved for one request", path, fix)
