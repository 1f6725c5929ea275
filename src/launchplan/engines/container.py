"""What the processes of a launch are given where they run in containers: their image and folders of the host.

Every target that starts containers asks here, so that all of them start the same image with the same folders.
Folders keep their path inside the container; the command line is the same in and out of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from launchplan import catalog
from launchplan.engines.hosts import cluster_of
from launchplan.engines.launch import Launch, Process, Site, Value, text
from launchplan.engines.router import router_kind
from launchplan.resolve import Deployment, Resolved

HUB_CACHE_IN_CONTAINER = "/root/.cache/huggingface"
"""Where the hub cache lies in a container that is told nothing else: the images run as root."""
_HUB_FOLDERS = ("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")
_LOCAL_CACHE = "LOCAL_CACHE"

Origin = Literal["cluster", "recipe", "published", "unknown"]


@dataclass(frozen=True, slots=True)
class Image:
    """A container image."""

    reference: str | None
    """Its name with tag or digest; None when nobody says which one holds the program."""
    origin: Origin


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder of the host that a container sees."""

    kind: Literal["model", "hub", "cache", "extra"]
    source: Value | None
    """The host's folder; None for the hub cache of the user who starts the container."""
    target: Value
    read_only: bool = False


def image_of(launch: Launch, process: Process | None = None) -> Image:
    """Choose the image of a process, of the engines where none is given.

    The cluster file's comes first, then the recipe's, then the one published for this release and GPU.
    """
    if process is not None and process.role == "router":
        return router_image(launch.layout.resolved.deployment)
    return engine_image(launch.layout.resolved, process.role if process is not None else None)


def engine_image(resolved: Resolved, role: str | None = None) -> Image:
    """Choose the image of a pool's engines, of the first pool where no role is given."""
    deployment = resolved.deployment
    cluster = cluster_of(deployment)
    if cluster is not None and cluster.container.image:
        return Image(cluster.container.image, "cluster")
    if deployment.recipe.value.engine.image:
        return Image(deployment.recipe.value.engine.image, "recipe")
    pool = next(pool for pool in resolved.pools if role in {None, pool.role})
    published = catalog.engine_image(deployment.engine, deployment.version, pool.gpu)
    return Image(published, "published" if published else "unknown")


def toolkit_of(resolved: Resolved, role: str) -> catalog.Toolkit | None:
    """Tell what a pool's engine is built with; None where that is not known, as of others' images."""
    deployment = resolved.deployment
    gpu = next(pool.gpu for pool in resolved.pools if pool.role == role)
    image = engine_image(resolved, role)
    own = image.origin in {"cluster", "recipe"}
    if gpu is None or (
        own and image.reference != catalog.engine_image(deployment.engine, deployment.version, gpu)
    ):
        return None
    return catalog.engine_toolkit(deployment.engine, deployment.version, gpu.vendor)


def router_image(deployment: Deployment) -> Image:
    """Choose the image of the router."""
    cluster = cluster_of(deployment)
    if cluster is not None and cluster.container.router_image:
        return Image(cluster.container.router_image, "cluster")
    wanted = deployment.recipe.value.router
    if wanted is not None and wanted.image:
        return Image(wanted.image, "recipe")
    published = catalog.router_image(router_kind(deployment))
    return Image(published, "published" if published else "unknown")


def mounts_of(launch: Launch, process: Process) -> tuple[Mount, ...]:
    """List the folders that a process's container sees: model, hub cache, kernel caches, the cluster's own.

    A router reads none of them. Each target path stands once; the cluster file's own mounts win.
    """
    if process.role == "router":
        return ()
    found: dict[Value, Mount] = {}
    for mount in (*_models(launch, process), *_caches(launch, process), *_own(launch)):
        found[mount.target] = mount
    return tuple(found.values())


def _models(launch: Launch, process: Process) -> Iterator[Mount]:
    deployment = launch.layout.resolved.deployment
    cluster = cluster_of(deployment)
    pool = next(pool for pool in launch.layout.resolved.pools if pool.role == process.role)
    drafted = pool.speculative.model if pool.speculative is not None else None
    loaded = (cluster.paths.model if cluster else None) or deployment.checkpoint
    for folder in dict.fromkeys(each for each in (loaded, drafted) if each and each.startswith("/")):
        yield Mount("model", text(folder), text(folder), read_only=True)


def _caches(launch: Launch, process: Process) -> Iterator[Mount]:
    given = {each.name: each.value for each in (*launch.env, *process.env)}
    named = [given[name] for name in _HUB_FOLDERS if name in given]
    for folder in named:
        yield Mount("hub", folder, folder)
    if not named:
        yield Mount("hub", None, text(HUB_CACHE_IN_CONTAINER))
    for value in given.values():
        first = value[0] if value else ""
        if isinstance(first, Site) and first.variable == _LOCAL_CACHE:
            yield Mount("cache", (first,), (first,))
            return
    cluster = cluster_of(launch.layout.resolved.deployment)
    local = cluster.paths.local_cache if cluster else None
    if local and any(value and str(value[0]).startswith(f"{local}/") for value in given.values()):
        yield Mount("cache", text(local), text(local))


def _own(launch: Launch) -> Iterator[Mount]:
    cluster = cluster_of(launch.layout.resolved.deployment)
    for written in cluster.container.mounts if cluster else ():
        source, target, *mode = written.split(":")
        yield Mount("extra", text(source), text(target), read_only=mode == ["ro"])
