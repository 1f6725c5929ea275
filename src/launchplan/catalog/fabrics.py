"""Networks between GPUs and nodes, and the environment that each of them wants."""

from __future__ import annotations

from typing import Literal

from launchplan.catalog.base import Fact, Named


class FabricVariable(Fact):
    """One environment variable that a fabric wants.

    `value` is None where only the site knows it. `prepend` puts the value before what the variable already
    holds, with a colon. A `kv-transfer` variable matters only where KV cache travels between servers.
    """

    name: str
    value: str | None = None
    required: bool = False
    prepend: bool = False
    purpose: Literal["network", "kv-transfer"] = "network"
    note: str = ""


class Fabric(Named):
    """A network as NCCL, RCCL and the KV connectors see it; `rdma` is RDMA or NVLink between nodes."""

    name: str
    kind: Literal["intra-node", "mnnvl", "infiniband", "roce", "efa", "tcpx", "ethernet"]
    rdma: bool
    env: tuple[FabricVariable, ...] = ()
    platform_needs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
