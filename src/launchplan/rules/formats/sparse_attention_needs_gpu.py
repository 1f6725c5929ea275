"""DeepSeek sparse attention on a GPU that vLLM has no backend for.

## Why

DeepSeek-V3.2 and GLM-5 attend to the keys that an indexer picks. vLLM has kernels for that from Hopper on; on
Ampere and Ada the worker finds no attention backend, whatever the KV cache.

## Fix

Use Hopper or Blackwell GPUs, or a model without sparse attention.

## References

- vLLM 0.33.0 `vllm/platforms/cuda.py:472`, seen on compute capability 8.0 and 8.9
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule

FAMILY = "deepseek_sparse"
HOPPER = (9, 0)


@rule(
    "QNT107",
    "sparse-attention-needs-gpu",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/platforms/cuda.py:472 (0.33.0)",
    at="worker",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the GPU with what sparse attention needs."""
    capability = pool.gpu.capability if pool.gpu else None
    if pool.gpu is None or capability is None or capability >= HOPPER:
        return
    if pool.architecture is not None and pool.architecture.family == FAMILY:
        has = f"{capability[0]}.{capability[1]}"
        message = f"sparse attention needs compute capability 9.0 on vllm; {pool.gpu.id} has {has}"
        yield Violation(message, ("hardware", "gpu"), "use a Hopper or Blackwell GPU")
