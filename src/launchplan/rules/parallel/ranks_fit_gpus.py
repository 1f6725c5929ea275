"""The layout needs more GPUs than there are.

## Why

Each rank takes one GPU: tp x pp x dp of them. vLLM compares only tp x pp with one node's GPUs, and only
without `--nnodes`; with data parallel ranks or several nodes the worker dies on a GPU index that does not
exist. SGLang finds out when a rank looks for its GPU.

## Fix

Lower one of the sizes or add nodes.

## References

- vLLM 0.33.0 `vllm/config/parallel.py:1071`, `vllm/v1/worker/gpu_worker.py:487`
- SGLang 0.5.23 `utils/common.py:436`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.catalog import engine_models
from launchplan.engines.flags import raw_flags
from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.units import plural


@rule(
    "PAR106",
    "ranks-fit-gpus",
    severity=ERROR,
    source={
        "vllm": "vllm/config/parallel.py:1071, vllm/v1/worker/gpu_worker.py:487 (0.33.0)",
        "sglang": "sglang/srt/utils/common.py:436 (0.5.23)",
    },
    at="worker",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the ranks with the GPUs."""
    if pool.gpus is None or pool.gpus_per_node is None or pool.world <= pool.gpus or _is_refused(pool):
        return
    have = "there is 1" if pool.gpus == 1 else f"there are {pool.gpus}"
    if pool.nodes > 1:
        have += f" ({pool.nodes} nodes x {pool.gpus_per_node})"
    nodes = -(-pool.world // pool.gpus_per_node)
    fix = f"lower one size, or use {plural(nodes, 'node')} of {pool.gpus_per_node}"
    message = f"{product(pool)} needs {plural(pool.world, 'GPU')}, {have}"
    yield Violation(message, pool.path("parallel"), fix)


def _is_refused(pool: ResolvedPool) -> bool:
    """Tell whether vLLM's own configuration refuses the layout before (PAR201)."""
    deployment = pool.deployment
    return (
        deployment.engine == "vllm"
        and engine_models("vllm", deployment.version) is not None
        and pool.nodes == 1
        and pool.parallel.tp * pool.parallel.pp > (pool.gpus_per_node or 0)
        and "distributed_executor_backend" not in raw_flags(pool)
    )


def product(pool: ResolvedPool) -> str:
    """Write the sizes that multiply: `tp 8 x dp 2`."""
    sizes = [
        f"{name} {getattr(pool.parallel, name)}"
        for name in ("tp", "pp", "dp")
        if getattr(pool.parallel, name) > 1
    ]
    return " x ".join(sizes) or "tp 1"
