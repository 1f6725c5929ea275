"""Experts are spread over nodes whose network has no RDMA.

## Why

Weights that fit on two nodes are not yet a model that serves from them. Each layer exchanges tokens between
all ranks that share the experts; over plain TCP the exchange takes longer than the arithmetic, and the
all-to-all backends ask for RDMA or NVLink. Memory is satisfied, expert parallelism is not.

## Fix

Connect the nodes by InfiniBand, RoCE, EFA or NVLink, or keep a replica on each node and balance requests
over them.

## References

- "Kimi K3 serving FAQ: the memory budget, cold start, sizing" (2026): multi-node EP and DP need RDMA or
  NVLink
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.layout import PoolLayout
from launchplan.rules.network.groups import spread_experts
from launchplan.rules.rule import ERROR, Violation, rule


@rule("NET101", "experts-need-rdma", severity=ERROR, source="Kimi K3 serving FAQ (2026)")
def check(layout: PoolLayout) -> Iterator[Violation]:
    """Look for a group that shares experts over a network without RDMA."""
    fabric, key = layout.pool.fabric, spread_experts(layout)
    if key is None or fabric is None or fabric.rdma:
        return
    nodes = layout.pool.nodes
    message = f"experts are shared by {nodes} nodes over {fabric.id}, which has no RDMA"
    fix = "connect them by InfiniBand, RoCE or EFA, or serve one replica a node"
    yield Violation(message, layout.pool.path("parallel", key), fix)
