"""The KV pool is smaller than the workload.

## Why

Requests times their context must fit the pool; those that don't wait in the queue or are preempted and
computed again. Requests in flight and tokens are the workload's own figures.

## Fix

More replicas or ranks, fp8 KV cache, decode context parallelism, or fewer requests at once.

## References

- docs/memory.md
- "Kimi K3 serving FAQ: the memory budget, cold start, sizing" (2026)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.memory.capacity import Count
from launchplan.rules.memory.ranks import rank_memory, span
from launchplan.rules.rule import WARNING, Violation, rule


@rule(
    "MEM205",
    "pool-serves-workload",
    severity=WARNING,
    source="docs/memory.md: capacity",
    at="run",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the requests in flight with those that the pools of all replicas hold."""
    workload = view.pool.deployment.recipe.value.workload
    wanted = workload.concurrency
    if wanted is None or view.pool.role == "prefill":
        return
    memory = rank_memory(view)
    held = (memory.capacity.of("mean") or memory.capacity.of("tail")) if memory else None
    if memory is None or held is None or memory.budget.pool.bytes.high <= 0:
        return
    replicas = memory.capacity.replicas * view.pool.replicas
    count = Count(*(end * replicas for end in (held.requests.value, held.requests.low, held.requests.high)))
    if count.value >= wanted:
        return
    limit = "max_num_seqs allows" if held.limit == "max_num_seqs" else "the pool holds"
    message = (
        f"{wanted} requests of {held.tokens:,} tokens are wanted, {limit} {count.value:,.0f} ({span(count)})"
    )
    fix = (
        "raise max_num_seqs"
        if held.limit == "max_num_seqs"
        else "add ranks or replicas, or shrink the KV cache"
    )
    yield Violation(message, ("workload", "concurrency"), fix)
