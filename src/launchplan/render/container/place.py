"""What a container on a host is called, started from and given; Docker and Compose write the same."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines import Launch, Process, Site, Value
from launchplan.engines.container import Mount, image_of, mounts_of
from launchplan.engines.launch import text
from launchplan.render.container.devices import Devices, devices_of
from launchplan.render.container.environment import ContainerEnvironment, environment_of
from launchplan.render.container.health import Health, health_of
from launchplan.render.container.start import start_budget_s
from launchplan.render.shell.scripts import LOCAL_CACHE, Script, scripts

STOP_S = 120
"""Seconds that an engine is given to finish requests before it is killed."""
HUB_CACHE = Site("HUB_CACHE", "folder of the hub cache")
"""What stands for the hub cache of the user who starts the container."""
IMAGE = Site("IMAGE", "container image that holds the engine")


@dataclass(frozen=True, slots=True)
class Placed:
    """One container on one host."""

    process: Process
    script: Script
    """Title and host, as the shell target has them."""
    name: str
    image: Value
    environment: ContainerEnvironment
    devices: Devices
    mounts: tuple[Mount, ...]
    health: Health | None
    start_s: int
    restarts: bool
    """Whether it may be started again by itself: a node that was lost cannot join the others again."""

    @property
    def demands(self) -> tuple[Site, ...]:
        """What the site must say before the start."""
        image = [part for part in self.image if isinstance(part, Site)]
        asked = (*image, *self.environment.sites)
        return tuple(site for site in asked if site.variable != LOCAL_CACHE)

    @property
    def local_cache(self) -> bool:
        """Whether kernels are compiled into a folder that the site may choose."""
        return any(site.variable == LOCAL_CACHE for site in self.environment.sites)

    @property
    def hub_cache(self) -> bool:
        """Whether the hub cache of the user who starts it is mounted."""
        return any(mount.source is None for mount in self.mounts)


def placed(launch: Launch) -> tuple[Placed, ...]:
    """Describe the container of each process, in start order."""
    name = launch.layout.resolved.deployment.recipe.value.name
    return tuple(
        Placed(
            process=process,
            script=script,
            name=f"{name}-{process.name}",
            image=_image(launch, process),
            environment=environment_of(launch, process),
            devices=devices_of(launch, process),
            mounts=mounts_of(launch, process),
            health=health_of(launch, process),
            start_s=start_budget_s(launch, process.role),
            restarts=_alone(launch, process),
        )
        for process, script in zip(launch.processes, scripts(launch), strict=True)
    )


def _image(launch: Launch, process: Process) -> Value:
    reference = image_of(launch, process).reference
    return text(reference) if reference is not None else (IMAGE,)


def _alone(launch: Launch, process: Process) -> bool:
    pools = [pool for pool in launch.layout.resolved.pools if pool.role == process.role]
    return all(pool.nodes == 1 for pool in pools)
