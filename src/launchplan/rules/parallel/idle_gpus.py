"""Some GPUs of the deployment are left idle.

## Why

The hardware section names the GPUs that one instance is given. Those that no rank takes are paid for and do
nothing.

## Fix

Give the rest to data parallel ranks or a larger size, or say how many GPUs are really used with
`gpus_per_node`.

## References

- tp x pp x dp is the number of worker processes: vLLM 0.33.0 `vllm/config/parallel.py` (`world_size`),
  SGLang 0.5.23 `distributed/parallel_state.py:2646`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.parallel.ranks_fit_gpus import product
from launchplan.rules.places import layout_section
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.units import plural


@rule("PAR107", "idle-gpus", severity=WARNING)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Count the GPUs without a rank."""
    if pool.gpus is None or pool.world >= pool.gpus:
        return
    idle = pool.gpus - pool.world
    message = f"{product(pool)} uses {pool.world} of {pool.gpus} GPUs: {plural(idle, 'GPU')} idle"
    yield Violation(message, layout_section(pool), _cure(pool))


def _cure(pool: ResolvedPool) -> str:
    per_replica = pool.parallel.tp * pool.parallel.pp
    if pool.gpus is not None and pool.gpus % per_replica == 0:
        return f"dp {pool.gpus // per_replica} uses all, or give fewer GPUs in hardware"
    return "use a larger size, or give fewer GPUs in hardware"
