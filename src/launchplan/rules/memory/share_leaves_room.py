"""What the engine leaves of the GPU is too little for CUDA graphs and activations.

## Why

vLLM estimates its CUDA graphs before it captures them, and libraries allocate after the profiled step: what
lies outside of gpu_memory_utilization has to take the difference. SGLang keeps activations and graphs in what
mem_fraction_static leaves. With too little left it dies while capturing, or under load.

## Fix

A smaller share.

## References

- vLLM 0.33.0 `vllm/v1/worker/gpu_worker.py`; SGLang 0.5.23 `arg_groups/memory_hook.py:276`
- docs/memory.md
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.rules.given import serve_value
from launchplan.rules.memory.ranks import gib_text, rank_memory, share_key
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.units import GIB

CAPTURED_BESIDE = GIB // 2
"""What capturing takes beside the graphs: 0.48 GiB did not do, 0.72 GiB did (vllm-project/vllm 57475)."""


@rule(
    "MEM208",
    "share-leaves-room",
    severity=WARNING,
    source="docs/memory.md: the budget of a rank",
    at="memory",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare what is left with what has no room in the share."""
    memory = rank_memory(view)
    if memory is None or memory.budget.pool.bytes.high <= 0:
        return
    budget = memory.budget
    graphs, left = budget.term("cuda graphs").bytes, budget.unused.bytes
    needed = (
        max(graphs.high - graphs.value, CAPTURED_BESIDE if graphs.high else 0) if view.engine == "vllm" else 0
    )
    if left.value >= needed:
        return
    what = "graphs may take beyond their estimate" if view.engine == "vllm" else "activations and graphs take"
    short = f"{gib_text(needed - left.value)} less than {what}"
    message = f"{share_key(view)} {budget.share:g} leaves {short}"
    share = (needed - left.value) / budget.device.total_bytes
    fix = f"lower {share_key(view)} to {max(budget.share - share - 0.005, 0.01):.2f}"
    yield Violation(message, serve_value(view.pool, share_key(view))[1], fix)
