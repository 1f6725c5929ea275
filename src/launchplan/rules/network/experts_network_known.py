"""Experts are spread over nodes, and nobody says what connects them.

## Why

Expert parallelism and data parallelism with shared experts need RDMA or NVLink between the nodes (NET101).
Recipe and cluster file name no fabric and no RDMA device, so whether there is any is not known.

## Fix

Name the fabric in the recipe (`hardware.fabric`) or in the cluster file (`network.fabric`, or a `preset`);
`network.hcas`, `kubernetes.rdma_resource` or NCCL_IB_HCA say that there is RDMA, too.

## References

- "Kimi K3 serving FAQ: the memory budget, cold start, sizing" (2026)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.layout import PoolLayout
from launchplan.rules.network.groups import spread_experts
from launchplan.rules.network.said import network_said
from launchplan.rules.rule import WARNING, Violation, rule


@rule("NET106", "experts-network-known", severity=WARNING, source="Kimi K3 serving FAQ (2026)")
def check(layout: PoolLayout) -> Iterator[Violation]:
    """Look for a group that shares experts over an unknown network."""
    key = spread_experts(layout)
    if key is None or network_said(layout.pool) is not None:
        return
    message = (
        f"experts are shared by {layout.pool.nodes} nodes over an unknown network: this needs RDMA or NVLink"
    )
    yield Violation(
        message, layout.pool.path("parallel", key), "name hardware.fabric, or the fabric of the cluster file"
    )
