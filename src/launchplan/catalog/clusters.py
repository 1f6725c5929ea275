"""Machines that people rent or own: which GPUs, how many a node, and what connects the nodes."""

from __future__ import annotations

from launchplan.catalog.base import Named
from launchplan.catalog.fabrics import FabricVariable


class ClusterPreset(Named):
    """A kind of node as a provider offers it; `gpu` and both fabrics are ids of this catalog.

    `fabric` connects the nodes; where nodes share an NVLink domain it is that one, and `scale_out_fabric` is
    what connects domains. `network_gbit` is what one node can send, all NICs together; None when not stated.
    `env` goes over the variables of the same name that the fabric wants.
    """

    provider: str
    name: str
    instance: str | None = None
    gpu: str
    gpus_per_node: int
    nodes_per_domain: int | None = None
    scale_up_domain_gpus: int
    fabric: str
    scale_out_fabric: str | None = None
    nic: str | None = None
    network_gbit: int | None = None
    host_memory_gib: int | None = None
    """RAM of a node, as the provider's page of the size says."""
    storage: str | None = None
    env: tuple[FabricVariable, ...] = ()
    notes: tuple[str, ...] = ()
