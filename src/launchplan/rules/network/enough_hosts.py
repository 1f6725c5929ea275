"""The cluster file has fewer hosts than the deployment needs.

## Why

Each node of each instance is a host of its own: nodes x replicas, summed over the pools. Hosts are handed out
in the order of the file.

## Fix

Add hosts to the cluster file, or lower `hardware.nodes` or the replicas.

## References

- launchplan's layout
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.units import plural


@rule("NET103", "enough-hosts", severity=ERROR)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Compare the hosts with those that are needed."""
    cluster = resolved.deployment.cluster
    nodes = cluster.value.nodes if cluster else None
    if nodes is None:
        return
    have = nodes if isinstance(nodes, int) else len(nodes)
    needed = sum(pool.nodes * pool.replicas for pool in resolved.pools)
    if have >= needed:
        return
    sums = " + ".join(_share(pool.role, pool.nodes, pool.replicas) for pool in resolved.pools)
    message = f"the deployment needs {plural(needed, 'host')}, the cluster file has {have}"
    detail = f" ({sums})" if len(resolved.pools) > 1 else ""
    yield Violation(
        message + detail, ("cluster", "nodes"), f"add {plural(needed - have, 'host')}, or use fewer nodes"
    )


def _share(role: str, nodes: int, replicas: int) -> str:
    return f"{role} {nodes}" + (f" x {replicas}" if replicas > 1 else "")
