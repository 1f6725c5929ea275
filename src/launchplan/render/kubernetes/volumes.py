"""What a pod mounts: shared memory, checkpoint, hub cache, kernel caches, the cluster file's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from launchplan.engines import Launch, Process
from launchplan.engines.container import Mount, mounts_of
from launchplan.render.kubernetes.site import cluster_or_default, pod_text, sites_of

_SHARED_MEMORY_GIB_PER_GPU = 8
"""NCCL and the message queues of tensor parallel ranks stay far below; what is not used takes no memory."""


@dataclass(frozen=True, slots=True)
class Volume:
    """A volume and where it is mounted."""

    name: str
    path: str
    kind: Literal["memory", "empty", "host", "claim"]
    source: str = ""
    """Folder of the host, or name of the claim."""
    size: str = ""
    read_only: bool = False
    created: bool = False
    expected: bool = False
    """The folder is there already; a pod without it does not start."""
    downloads: bool = False
    """Each new pod fills it again."""

    @property
    def memory(self) -> bool:
        """Whether it is memory."""
        return self.kind == "memory"

    @property
    def empty(self) -> bool:
        """Whether it begins empty and goes with its pod."""
        return self.kind == "empty"

    @property
    def host(self) -> bool:
        """Whether it is a folder of the host."""
        return self.kind == "host"

    @property
    def claim(self) -> bool:
        """Whether it is a PersistentVolumeClaim."""
        return self.kind == "claim"


def volumes_of(launch: Launch, process: Process) -> tuple[Volume, ...]:
    """List the volumes of a process's pod; the claim takes the place of the folder that it is mounted at."""
    if process.role == "router":
        return ()
    shared = f"{_SHARED_MEMORY_GIB_PER_GPU * max(1, process.gpus)}Gi"
    return (Volume("shm", "/dev/shm", "memory", size=shared), *_folders(launch, process))  # noqa: S108


def _folders(launch: Launch, process: Process) -> Iterator[Volume]:
    kubernetes = cluster_or_default(launch).kubernetes
    mounts = mounts_of(launch, process)
    sites = sites_of(launch, process)
    claim_at = kubernetes.model_claim_path or _claim_place(launch, mounts)
    if kubernetes.model_claim is not None:
        model = claim_at == cluster_or_default(launch).paths.model
        yield Volume("checkpoint", claim_at, "claim", source=kubernetes.model_claim, read_only=model)
    for index, mount in enumerate(mounts):
        target = pod_text(mount.target, sites) or ""
        if kubernetes.model_claim is not None and (target == claim_at or target.startswith(f"{claim_at}/")):
            continue
        yield _volume(index, mount, target)


def _claim_place(launch: Launch, mounts: tuple[Mount, ...]) -> str:
    model = cluster_or_default(launch).paths.model
    hub = next((mount.target for mount in mounts if mount.kind == "hub"), ())
    return model or "".join(part for part in hub if isinstance(part, str))


def _volume(index: int, mount: Mount, target: str) -> Volume:
    source = "".join(part for part in mount.source or () if isinstance(part, str))
    name = mount.kind if mount.kind != "extra" else f"extra-{index}"
    name = f"{name}-{index}" if mount.kind == "model" and index else name
    if not source:
        return Volume(name, target, "empty", downloads=mount.kind == "hub")
    return Volume(
        name,
        target,
        "host",
        source,
        read_only=mount.read_only,
        created=mount.kind in {"hub", "cache"},
        expected=mount.kind == "model",
    )
