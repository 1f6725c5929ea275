"""A host's own environment or interface, where pods are to run.

## Why

A pod comes to any host of its pool, and the pods of one template have one environment. A variable that all
hosts give alike reaches them, and an interface that all hosts name, where pods use their host's network.
What is said of one host alone, or differently, reaches none: manifests leave it out and say so.

## Fix

Write what holds everywhere under `env` and `network.interface`. What differs from host to host belongs on the
host: `/etc/nccl.conf` for NCCL, an interface name that is the same on all of them.

## References

- LeaderWorkerSet v0.10 API: one `leaderTemplate` and one `workerTemplate` for all groups
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.pods import left_out
from launchplan.recipe.cluster import Kubernetes
from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule


@rule("NET114", "pods-know-no-hosts", severity=WARNING)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look for what the hosts say where the cluster is Kubernetes."""
    cluster = resolved.deployment.cluster
    if cluster is None or cluster.value.kubernetes == Kubernetes():
        return
    for path, what in left_out(resolved):
        key = "network.interface" if path[-1] == "interface" else "env"
        yield Violation(f"{what} of one host reaches no pod", path, f"give it to all hosts, under {key}")
