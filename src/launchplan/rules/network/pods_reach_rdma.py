"""Pods of several nodes ask for no RDMA device.

## Why

A pod sees no device that it does not ask for. Without `/dev/infiniband` NCCL, and NIXL with it, fall back to
TCP without a word that anybody reads: the deployment starts, and every all-reduce and every KV cache crosses
the pod network.

## Fix

Name the resource that the cluster's device plugin offers, such as `rdma_resource: rdma/ib`; `kubectl describe
node` lists it among the allocatable resources.

## References

- Kubernetes documentation, "Device Plugins"; Mellanox/k8s-rdma-shared-dev-plugin
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.recipe.cluster import Kubernetes
from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule

_RDMA = frozenset({"infiniband", "roce", "efa"})


@rule("NET111", "pods-reach-rdma", severity=WARNING)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Compare the fabrics of pools that cross nodes with what pods ask for."""
    cluster = resolved.deployment.cluster
    if cluster is None or cluster.value.kubernetes == Kubernetes() or cluster.value.kubernetes.rdma_resource:
        return
    for pool in resolved.pools:
        crosses = pool.nodes > 1 or pool.role != "serve"
        if crosses and pool.fabric is not None and pool.fabric.kind in _RDMA:
            message = f"pods ask for no RDMA device, so {pool.fabric.id} between them is plain TCP"
            yield Violation(message, ("cluster", "kubernetes"), "name it: rdma_resource: rdma/ib")
            return
