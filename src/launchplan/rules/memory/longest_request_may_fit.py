"""One request of max_model_len may not fit the KV pool.

## Why

The pool's interval has an end that is too small for one request of the longest length. vLLM then refuses to
start; SGLang starts, and refuses longer requests than its pool holds.

## Fix

A shorter `serve.max_model_len`, a smaller KV cache (fp8, dcp), or more ranks.

## References

- vLLM 0.33.0 `vllm/v1/core/kv_cache_planning.py:78`; SGLang 0.5.23 `managers/tokenizer_manager.py`
- docs/memory.md
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.memory.capacity import Count
from launchplan.rules.given import serve_value
from launchplan.rules.memory.ranks import is_certain, longest, rank_memory, span
from launchplan.rules.rule import WARNING, Violation, rule


@rule(
    "MEM204",
    "longest-request-may-fit",
    severity=WARNING,
    source="docs/memory.md: the budget of a rank",
    at="memory",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Count the longest requests at the bad end of the pool."""
    memory = rank_memory(view)
    request = longest(memory) if memory else None
    if memory is None or request is None or memory.budget.pool.bytes.low <= 0:
        return
    refused = view.engine == "vllm" and request.requests.high < 1 and is_certain(memory)
    if request.requests.low >= 1 or refused:
        return
    held = memory.capacity.pool_tokens
    message = (
        f"max_model_len {request.tokens:,}: the pool holds {span(held)} tokens, {_held(request.requests)}"
    )
    yield Violation(
        message, serve_value(view.pool, "max_model_len")[1], "lower max_model_len, or raise tp, pp or dcp"
    )


def _held(requests: Count) -> str:
    if requests.high < 1:
        return f"{requests.low:.0%} to {requests.high:.0%} of such a request"
    return f"{span(requests)} such requests"
