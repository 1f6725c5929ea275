"""The cluster preset is not in the catalog.

## Why

A preset says which fabric connects rented nodes. An unknown one says nothing, silently.

## Fix

Use an id of `launchplan list clusters`, or leave the key out and name the fabric.

## References

- launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.wording import shown


@rule("FAC109", "preset-known", severity=WARNING)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look the preset up."""
    cluster = resolved.deployment.cluster
    name = cluster.value.preset if cluster else None
    if name is None or catalog.cluster_preset(name) is not None:
        return
    near = catalog.nearest_cluster_preset(name)
    fix = f"did you mean '{near}'?" if near else "see 'launchplan list clusters'"
    yield Violation(f"preset {shown(name)} is not in the catalog", ("cluster", "preset"), fix)
