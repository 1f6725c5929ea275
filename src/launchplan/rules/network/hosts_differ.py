"""Two hosts of the cluster file have the same address.

## Why

Every host runs ranks of its own, on all its GPUs and with the same ports. Two nodes on one address would take
each other's GPUs and ports; most often a line was copied and not changed.

## Fix

Give each host its own address.

## References

- launchplan's layout
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved
from launchplan.rules.rule import ERROR, Violation, rule


@rule("NET104", "hosts-differ", severity=ERROR)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look for an address that stands twice."""
    first: dict[str, int] = {}
    for index, host in enumerate(resolved.deployment.hosts):
        other = first.setdefault(host.address.lower(), index)
        if other != index:
            message = f"host {index} has the address of host {other}: {host.address}"
            yield Violation(message, ("cluster", "nodes", index, "address"), "give each host its own address")
