"""One request of max_model_len does not fit the KV pool.

## Why

vLLM refuses to start when its pool cannot hold a single request of the longest length. It is said only where
the good end of the pool's interval is too small, and no figure behind it is uncertain.

## Fix

A shorter `serve.max_model_len`, a smaller KV cache (fp8, dcp), or more ranks.

## References

- vLLM 0.33.0 `vllm/v1/core/kv_cache_planning.py:78`
- docs/memory.md
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.rules.given import serve_value
from launchplan.rules.memory.ranks import between, gib_text, is_certain, longest, rank_memory
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "MEM203",
    "longest-request-fits",
    severity=ERROR,
    engines=("vllm",),
    source={"vllm": "vllm/v1/core/kv_cache_planning.py:78 (0.33.0)"},
    at="memory",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Count the longest requests at the good end of the pool."""
    memory = rank_memory(view)
    request = longest(memory) if memory else None
    if memory is None or request is None or not is_certain(memory):
        return
    pool = memory.budget.pool.bytes
    if pool.high <= 0 or request.requests.high >= 1:
        return
    message = (
        f"one request of {request.tokens:,} tokens takes {gib_text(request.request_bytes)},"
        f" the pool is {between(pool)}"
    )
    yield Violation(
        message, serve_value(view.pool, "max_model_len")[1], "lower max_model_len, or raise tp, pp or dcp"
    )
