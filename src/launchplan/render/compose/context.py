"""Everything that the templates of the compose target may print."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby

from launchplan.engines import Launch
from launchplan.engines.container import Mount
from launchplan.engines.launch import text
from launchplan.render.compose.text import in_environment_file, in_yaml
from launchplan.render.container.place import HUB_CACHE, STOP_S, Placed, placed

_PROJECT = re.compile(r"[^a-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class ComposeMount:
    """One folder of the host."""

    source: str
    target: str
    read_only: bool
    created: bool
    """Whether it is made where it is not there; a checkpoint is not."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """One line of an environment file."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Service:
    """One container; texts are as Compose interpolates them."""

    name: str
    container: str
    title: str
    image: str
    entrypoint: str
    command: tuple[str, ...]
    environment: tuple[Assignment, ...]
    engine: bool
    """An engine, not a router: it has GPUs and pins memory."""
    nvidia: bool
    all_gpus: bool
    gpu_indices: tuple[str, ...]
    amd: bool
    some_gpus: str
    """The GPUs of an AMD host that the process takes, where it does not take all; else empty."""
    devices: tuple[str, ...]
    mounts: tuple[ComposeMount, ...]
    health: tuple[str, ...]
    start_s: int
    stop_s: int
    restarts: bool
    waits_for: tuple[str, ...]
    """Services of the same host that answer before this one starts."""

    @property
    def has_devices(self) -> bool:
        """Whether device files are passed."""
        return bool(self.devices)

    @property
    def has_mounts(self) -> bool:
        """Whether folders are mounted."""
        return bool(self.mounts)

    @property
    def has_health(self) -> bool:
        """Whether it can be asked for its health."""
        return bool(self.health)

    @property
    def takes_some_gpus(self) -> bool:
        """Whether GPUs of an AMD host are left to others."""
        return bool(self.some_gpus)

    @property
    def waits(self) -> bool:
        """Whether it starts after others."""
        return bool(self.waits_for)


@dataclass(frozen=True, slots=True)
class ComposeFile:
    """The services of one host."""

    folder: str
    """Named after the first process of the host."""
    project: str
    host: str
    services: tuple[Service, ...]
    variables: tuple[Assignment, ...]
    """What the site must say, and what it means."""

    @property
    def has_variables(self) -> bool:
        """Whether the site must say anything."""
        return bool(self.variables)


@dataclass(frozen=True, slots=True)
class ComposePlan:
    """The context of the compose target."""

    name: str
    engine: str
    files: tuple[ComposeFile, ...]


def compose_plan(launch: Launch) -> ComposePlan:
    """Bring a launch into the form that the templates print: a file a host, in the order of the hosts."""
    deployment = launch.layout.resolved.deployment
    by_host = sorted(placed(launch), key=lambda each: each.process.host)
    hosts = (tuple(group) for _, group in groupby(by_host, key=lambda each: each.process.host))
    name = deployment.recipe.value.name
    return ComposePlan(name, deployment.engine_label, tuple(_file(name, host) for host in hosts))


def _file(name: str, containers: tuple[Placed, ...]) -> ComposeFile:
    first = containers[0]
    sites = {site.variable: site.hint for each in containers for site in each.demands}
    return ComposeFile(
        folder=first.process.name,
        project=_PROJECT.sub("-", f"{name}-{first.process.name}".lower()),
        host=first.script.host,
        services=tuple(_service(each, containers) for each in containers),
        variables=tuple(Assignment(variable, hint) for variable, hint in sorted(sites.items())),
    )


def _service(placed: Placed, neighbours: tuple[Placed, ...]) -> Service:
    devices = placed.devices
    entrypoint, *command = placed.environment.argv
    engines = [each for each in neighbours if each.process.role != "router" and each.health is not None]
    indices = tuple(devices.indices.split(",")) if devices.some else ()
    return Service(
        name=placed.process.name,
        container=placed.name,
        title=placed.script.title,
        image=in_yaml(placed.image),
        entrypoint=in_yaml(entrypoint),
        command=tuple(in_yaml(word) for word in command),
        environment=tuple(
            Assignment(each.name, in_environment_file(each.value)) for each in placed.environment.variables
        ),
        engine=placed.process.role != "router",
        nvidia=devices.nvidia,
        all_gpus=not devices.some,
        gpu_indices=indices if devices.nvidia else (),
        amd=devices.amd,
        some_gpus=",".join(indices) if devices.amd else "",
        devices=_devices(placed),
        mounts=tuple(_mount(mount) for mount in placed.mounts),
        health=tuple(in_yaml(text(word)) for word in placed.health.command) if placed.health else (),
        start_s=placed.start_s,
        stop_s=STOP_S,
        restarts=placed.restarts,
        waits_for=tuple(each.process.name for each in engines) if placed.process.role == "router" else (),
    )


def _devices(placed: Placed) -> tuple[str, ...]:
    """List device files; Compose cannot ask whether a host has them, so they are those of the plan."""
    amd = ("/dev/kfd", "/dev/dri") if placed.devices.amd else ()
    rdma = ("/dev/infiniband",) if placed.devices.rdma else ()
    imex = ("/dev/nvidia-caps-imex-channels",) if placed.devices.imex else ()
    return (*amd, *rdma, *imex)


def _mount(mount: Mount) -> ComposeMount:
    source = mount.source if mount.source is not None else (HUB_CACHE,)
    created = mount.kind in {"hub", "cache"}
    return ComposeMount(in_yaml(source), in_yaml(mount.target), mount.read_only, created)
