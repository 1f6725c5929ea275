"""The fabric is not in the catalog.

## Why

Whether GPUs on different hosts can talk by RDMA or NVLink, and which environment their network wants, comes
from the catalog's fabric. Without it the network rules say less and the bundle sets no fabric variables.

## Fix

Use an id or alias of `launchplan list fabrics`, or leave the key out.

## References

- launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.finding import KeyPath
from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.wording import shown


@rule("FAC102", "fabric-known", severity=WARNING)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look every named fabric up."""
    for name, path in _named(resolved):
        if catalog.fabric(name) is None:
            near = catalog.nearest_fabric(name)
            fix = f"did you mean '{near}'?" if near else "see 'launchplan list fabrics'"
            yield Violation(
                f"fabric {shown(name)} is not in the catalog: the network between nodes is not checked",
                path,
                fix,
            )


def _named(resolved: Resolved) -> Iterator[tuple[str, KeyPath]]:
    deployment = resolved.deployment
    recipe, cluster = deployment.recipe.value, deployment.cluster
    if recipe.hardware.fabric:
        yield recipe.hardware.fabric, ("hardware", "fabric")
    for role in ("prefill", "decode") if recipe.pools else ():
        fabric = getattr(recipe.pools, role).hardware.fabric
        if fabric:
            yield fabric, ("pools", role, "hardware", "fabric")
    if cluster and cluster.value.network.fabric:
        yield cluster.value.network.fabric, ("cluster", "network", "fabric")
