"""The GPU is not in the catalog.

## Why

What a GPU can hold and execute comes from the catalog. For an unknown one the rules about memory and formats
do not run, and the number of GPUs in a node has to be given.

## Fix

Use an id or alias of `launchplan list gpus`. A new GPU is one file in `catalog/data/gpus/`.

## References

- launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.resolve import ResolvedPool
from launchplan.rules.places import hardware_key
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.wording import shown


@rule("FAC101", "gpu-known", severity=WARNING)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look the GPU up."""
    if pool.gpu is not None:
        return
    path = hardware_key(pool, "gpu")
    near = catalog.nearest_gpu(pool.gpu_name)
    fix = f"did you mean '{near}'?" if near else "see 'launchplan list gpus'"
    yield Violation(
        f"gpu {shown(pool.gpu_name)} is not in the catalog: its formats and memory are not checked", path, fix
    )
