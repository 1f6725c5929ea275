"""The fullest rank may have no memory left for a KV cache.

## Why

What weights, activations, CUDA graphs and libraries take is an interval. At one end of it something is left
for the KV cache, at the other nothing is: it may start, or stop after the weights are loaded.

## Fix

More ranks, a smaller checkpoint, fewer batched tokens, or a larger share of the GPU.

## References

- vLLM 0.33.0 `vllm/v1/core/kv_cache_planning.py:58`; SGLang 0.5.23 `mem_cache/kv_cache_configurator.py:3051`
- docs/memory.md: how a rank's budget is computed, and how far it is from logs
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.rules.memory.ranks import between, is_full, rank_memory, share_key
from launchplan.rules.places import layout_section
from launchplan.rules.rule import WARNING, Violation, rule


@rule(
    "MEM202",
    "rank-nearly-full",
    severity=WARNING,
    source={
        "vllm": "vllm/v1/core/kv_cache_planning.py:58 (0.33.0)",
        "sglang": "sglang/srt/mem_cache/kv_cache_configurator.py:3051 (0.5.23)",
    },
    at="memory",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for a pool whose interval reaches below zero."""
    memory = rank_memory(view)
    if memory is None:
        return
    pool = memory.budget.pool.bytes
    if pool.low > 0 or is_full(view, memory):
        return
    share = f"{share_key(view)} {memory.budget.share:g}"
    outcome = "it may not start"
    if pool.high <= 0:
        doubts = "; ".join(memory.budget.uncertain)
        outcome = f"by these figures it does not start, and they are not sure: {doubts}"
    message = f"the rank's KV pool is {between(pool)} at {share}: {outcome}"
    fix = "raise tp or pp, take a smaller checkpoint, or batch fewer tokens"
    yield Violation(message, layout_section(view.pool), fix)
