"""What the engine leaves of the GPU is too little for CUDA graphs and activations.

## Why

What lies outside of gpu_memory_utilization has to hold what stands before vLLM looks at the free memory
(CUDA context, communicators), what is allocated after it has sized its pool, and graphs where the pool makes
no room for them: before release 0.20, with the second model runner from 0.22 to 0.28, and with
VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS=0.
SGLang keeps activations and graphs in what mem_fraction_static leaves. With too little left the engine does
not start, or dies while capturing or under load.

## Fix

A smaller share.

## References

- vLLM 0.33.0 `vllm/v1/worker/gpu_worker.py`; 0.28.0 `vllm/v1/worker/gpu/model_runner.py:843`
- SGLang 0.5.23 `arg_groups/memory_hook.py:276`
- docs/memory.md
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.rules.given import serve_value
from launchplan.rules.memory.ranks import gib_text, rank_memory, share_key, starts_with
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.units import GIB

TAKEN_AFTER = GIB // 10
"""What graphs take beyond vLLM's estimate: 0.05 GiB in the middle of logs, 0.54 at most outside of WSL."""


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
    if memory is None or memory.budget.pool.bytes.high <= 0 or not starts_with(memory.budget):
        return
    budget = memory.budget
    left, needed, what = budget.unused.bytes.value, 0, "activations and graphs take"
    if view.engine == "vllm":
        needed, what = budget.before.value + TAKEN_AFTER, "context, communicators and graphs take"
    if left >= needed:
        return
    short = f"{gib_text(needed - left)} less than {what}"
    message = f"{share_key(view)} {budget.share:g} leaves {short}"
    share = (needed - left) / budget.device.total_bytes
    fix = f"lower {share_key(view)} to {max(budget.share - share - 0.005, 0.01):.2f}"
    yield Violation(message, serve_value(view.pool, share_key(view))[1], fix)
