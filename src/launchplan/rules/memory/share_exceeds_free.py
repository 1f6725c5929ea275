"""The share asks for more than is free when vLLM starts.

## Why

vLLM multiplies gpu_memory_utilization with all that CUDA reports, and stops when less is free. Its own
context stands in the GPU by then, and so does whatever runs beside it. It is said only where even the
smallest context that logs show leaves too little.

## Fix

A smaller share.

## References

- vLLM 0.33.0 `vllm/v1/worker/utils.py:759`
- docs/memory.md
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.rules.given import serve_value
from launchplan.rules.memory.ranks import gib_text, rank_memory, share_key, starts_with
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "MEM210",
    "share-exceeds-free",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.9.1"},
    source={"vllm": "vllm/v1/worker/utils.py:759 (0.33.0)"},
    at="memory",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare what the share leaves of the GPU with the least that a context takes."""
    memory = rank_memory(view)
    if memory is None or starts_with(memory.budget):
        return
    budget = memory.budget
    left = (1 - budget.share) * (budget.device.total_bytes - budget.term("driver").bytes.low)
    message = (
        f"{share_key(view)} {budget.share:g} leaves {gib_text(max(left, 0))}, and a context takes"
        f" {gib_text(budget.before.low)} at least"
    )
    yield Violation(message, serve_value(view.pool, share_key(view))[1], "lower it to 0.95")
