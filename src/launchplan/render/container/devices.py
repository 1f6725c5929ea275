"""Which of the host's devices a process's container is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from launchplan.engines import Launch, Process
from launchplan.engines.hosts import cluster_of
from launchplan.resolve import ResolvedPool

Vendor = Literal["nvidia", "amd", "other", "none"]
_RDMA_KINDS = frozenset({"infiniband", "roce", "efa"})


@dataclass(frozen=True, slots=True)
class Devices:
    """GPUs, and what carries their traffic to other hosts."""

    vendor: Vendor
    """Whose GPUs they are; `none` for a process without."""
    gpus: int
    whole_host: bool
    """The process takes every GPU of such a host."""
    travels: bool
    """The process speaks to engines on other hosts."""
    rdma: bool
    """It is known to speak RDMA to them: it pins memory and opens `/dev/infiniband`."""
    imex: bool
    """The process reaches other hosts by NVLink, which needs an IMEX channel."""
    gfx: str | None = None

    @property
    def nvidia(self) -> bool:
        """Whether the GPUs are NVIDIA's."""
        return self.vendor == "nvidia"

    @property
    def amd(self) -> bool:
        """Whether the GPUs are AMD's."""
        return self.vendor == "amd"

    @property
    def some(self) -> bool:
        """Whether the process takes some of the GPUs of such a host and leaves others."""
        return self.gpus > 0 and not self.whole_host

    @property
    def indices(self) -> str:
        """The first so many GPUs of the host: `0,1,2,3`."""
        return ",".join(str(index) for index in range(self.gpus))


def pool_of(launch: Launch, process: Process) -> ResolvedPool | None:
    """Find the pool that a process belongs to; None for the router."""
    return next((pool for pool in launch.layout.resolved.pools if pool.role == process.role), None)


def devices_of(launch: Launch, process: Process) -> Devices:
    """Tell what a process needs of its host; a GPU that nobody knows is taken for NVIDIA's."""
    pool = pool_of(launch, process)
    if pool is None:
        return Devices("none", 0, whole_host=False, travels=False, rdma=False, imex=False)
    maker = pool.gpu.vendor if pool.gpu is not None else "nvidia"
    vendor: Vendor = "nvidia" if maker == "nvidia" else "amd" if maker == "amd" else "other"
    usual = pool.gpu.gpus_per_node if pool.gpu is not None else None
    travels = pool.nodes > 1 or pool.role != "serve"
    cluster = cluster_of(pool.deployment)
    known = pool.fabric is not None and pool.fabric.kind in _RDMA_KINDS
    hcas = cluster is not None and bool(cluster.network.hcas)
    mnnvl = pool.fabric is not None and pool.fabric.kind == "mnnvl"
    return Devices(
        vendor,
        process.gpus,
        whole_host=process.gpus == usual,
        travels=travels,
        # KV caches that travel between racks leave the NVLink domain.
        rdma=travels and (known or hcas or (mnnvl and pool.role != "serve")),
        imex=travels and mnnvl,
        gfx=pool.gpu.gfx if pool.gpu is not None else None,
    )
