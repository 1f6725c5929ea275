"""The fullest rank has no memory left for a KV cache.

## Why

Weights, activations, CUDA graphs and libraries of the fullest rank take all that the engine may use, even
at the good end of their intervals. The engine loads for minutes and then stops. It is said only where no
figure behind it is uncertain, or where the text model alone is more than the GPU holds. Of releases whose
defaults are not known exactly the least is counted that they hold.

## Fix

More ranks, a smaller checkpoint, or a larger share of the GPU.

## References

- vLLM 0.33.0 `vllm/v1/core/kv_cache_planning.py:58`; SGLang 0.5.23 `mem_cache/kv_cache_configurator.py:3051`
- docs/memory.md: how a rank's budget is computed, and how far it is from logs
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.rules.memory.ranks import gib_text, is_full, rank_memory, share_key
from launchplan.rules.places import layout_section
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "MEM201",
    "rank-too-full",
    severity=ERROR,
    source={
        "vllm": "vllm/v1/core/kv_cache_planning.py:58 (0.33.0)",
        "sglang": "sglang/srt/mem_cache/kv_cache_configurator.py:3051 (0.5.23)",
    },
    at="memory",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look at the good end of what is left for the pool."""
    memory = rank_memory(view)
    if memory is None or not is_full(view, memory):
        return
    budget = memory.budget
    weights = budget.term("weights").bytes
    message = (
        f"weights of a rank take {gib_text(weights.value)} of {gib_text(budget.device.total_bytes)};"
        f" nothing is left for KV at {share_key(view)} {budget.share:g}"
    )
    fix = "raise tp or pp, take a smaller checkpoint, or raise the share"
    yield Violation(message, layout_section(view.pool), fix)
