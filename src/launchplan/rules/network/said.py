"""What is said of the network between the nodes, besides a fabric of the catalog."""

from __future__ import annotations

from collections.abc import Mapping

from launchplan.resolve import ResolvedPool, fabric_name

_RDMA_VARIABLES = ("NCCL_IB_HCA", "NCCL_IB_GID_INDEX", "FI_EFA_USE_DEVICE_RDMA")
"""Nothing reads these but what talks to RDMA devices: NCCL 2.28's documentation, and AWS's of EFA."""


def network_said(pool: ResolvedPool) -> str | None:
    """Name the network as recipe, cluster file or environment do; None where nobody says anything of it."""
    if pool.fabric is not None:
        return pool.fabric.id
    named = fabric_name(pool.deployment)
    if named is not None:
        return named
    cluster = pool.deployment.cluster.value if pool.deployment.cluster is not None else None
    if cluster is not None and cluster.network.hcas:
        return f"RDMA ({cluster.network.hcas[0]})"
    if cluster is not None and cluster.kubernetes.rdma_resource:
        return f"RDMA ({cluster.kubernetes.rdma_resource})"
    variable = _rdma_variable({**(cluster.env if cluster is not None else {}), **pool.env})
    return f"RDMA ({variable})" if variable else None


def _rdma_variable(env: Mapping[str, str]) -> str | None:
    if env.get("NCCL_IB_DISABLE", "0") != "0":
        return None
    return next((name for name in _RDMA_VARIABLES if name in env), None)
