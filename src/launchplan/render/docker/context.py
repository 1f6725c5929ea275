"""Everything that the templates of the docker target may print."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.engines import Launch, Site, Value
from launchplan.engines.container import Mount
from launchplan.engines.launch import join, text
from launchplan.render.container.environment import TOKEN
from launchplan.render.container.health import Health
from launchplan.render.container.place import HUB_CACHE, STOP_S, Placed, placed
from launchplan.render.shell.shellcheck import literal_codes

_GPU_DEVICES = Site("GPU_DEVICES", "indices of the GPUs")
_HEALTH_INTERVAL_S = 30
_HEALTH_TIMEOUT_S = 90


@dataclass(frozen=True, slots=True)
class DockerScript:
    """What the script of one container holds; options are lines of words."""

    name: str
    """The process's name, which is the script's."""
    container: str
    title: str
    demands: tuple[Value, ...]
    local_cache: bool
    hub_cache: bool
    folders: tuple[Value, ...]
    """Folders of the host that are made when they are not there."""
    gpu_devices: str
    """The GPUs where the process does not take all of the host's; empty where it does."""
    network: bool
    """It speaks to other hosts: RDMA devices are passed where the host has them."""
    imex: bool
    options: tuple[tuple[Value, ...], ...]
    environment: tuple[tuple[Value, ...], ...]
    image: Value
    entrypoint: Value
    args: tuple[tuple[Value, ...], ...]
    restarts: bool
    codes: str
    """What ShellCheck would ask about the literal words."""

    @property
    def has_demands(self) -> bool:
        """Whether the site must give anything."""
        return bool(self.demands)

    @property
    def has_folders(self) -> bool:
        """Whether folders of the host are to be made."""
        return bool(self.folders)

    @property
    def takes_some_gpus(self) -> bool:
        """Whether GPUs of the host are left to others."""
        return bool(self.gpu_devices)

    @property
    def has_devices(self) -> bool:
        """Whether devices beside the GPUs are passed where the host has them."""
        return self.network or self.imex

    @property
    def has_codes(self) -> bool:
        """Whether the words hold what ShellCheck asks about."""
        return bool(self.codes)


@dataclass(frozen=True, slots=True)
class DockerPlan:
    """The context of the docker target."""

    name: str
    engine: str
    scripts: tuple[DockerScript, ...]
    stop_order: tuple[str, ...]
    """Containers, the router's first, so that no request is lost half way."""


def docker_plan(launch: Launch) -> DockerPlan:
    """Bring a launch into the form that the templates print."""
    deployment = launch.layout.resolved.deployment
    containers = placed(launch)
    order = sorted(containers, key=lambda each: each.process.role != "router")
    return DockerPlan(
        name=deployment.recipe.value.name,
        engine=deployment.engine_label,
        scripts=tuple(_script(each, deployment.recipe.value.name) for each in containers),
        stop_order=tuple(each.name for each in order),
    )


def _script(placed: Placed, deployment: str) -> DockerScript:
    options = tuple(_options(placed, deployment))
    environment = tuple(_environment(placed))
    entrypoint, *words = placed.environment.argv
    lines = (*options, *environment, tuple(words))
    writable = [each for each in placed.mounts if each.kind in {"hub", "cache"}]
    return DockerScript(
        name=placed.process.name,
        container=placed.name,
        title=placed.script.title,
        demands=tuple((site,) for site in placed.demands),
        local_cache=placed.local_cache,
        hub_cache=placed.hub_cache,
        folders=tuple(_source(mount) for mount in writable),
        gpu_devices=placed.devices.indices if placed.devices.some else "",
        network=placed.devices.travels,
        imex=placed.devices.imex,
        options=options,
        environment=environment,
        image=placed.image,
        entrypoint=entrypoint,
        args=_lines(placed, tuple(words)),
        restarts=placed.restarts,
        codes=literal_codes(word for line in lines for word in line),
    )


def _lines(placed: Placed, words: tuple[Value, ...]) -> tuple[tuple[Value, ...], ...]:
    """Put the command on lines: what comes before the flags, then one flag with its values each."""
    flags = tuple(((flag.name,), *flag.values) for flag in placed.process.flags)
    before = len(words) - sum(len(line) for line in flags)
    return (words[:before], *flags) if before else flags


def _options(placed: Placed, deployment: str) -> Iterator[tuple[Value, ...]]:
    yield text("--detach"), text("--init")
    yield text("--name"), text(placed.name)
    yield text("--label"), text(f"launchplan.deployment={deployment}")
    yield text("--restart"), text("unless-stopped" if placed.restarts else "no")
    yield text("--stop-timeout"), text(str(STOP_S))
    yield text("--network"), text("host")
    if placed.process.role != "router":
        yield text("--ipc"), text("host")
        for limit in ("memlock=-1", "stack=67108864", "nofile=1048576"):
            yield text("--ulimit"), text(limit)
        yield text("--cap-add"), text("IPC_LOCK")
    yield from _gpus(placed)
    for mount in placed.mounts:
        yield text("--mount"), _mount(mount)
    if placed.health is not None:
        yield from _health(placed.health, placed.start_s)


def _gpus(placed: Placed) -> Iterator[tuple[Value, ...]]:
    devices = placed.devices
    if devices.nvidia:
        some: Value = ('"device=', _GPU_DEVICES, '"')
        yield text("--gpus"), some if devices.some else text("all")
    elif devices.amd:
        yield text("--device"), text("/dev/kfd")
        yield text("--device"), text("/dev/dri")
        yield text("--group-add"), text("video")
        yield text("--cap-add"), text("SYS_PTRACE")
        yield text("--security-opt"), text("seccomp=unconfined")
        if devices.some:
            yield text("--env"), join("HIP_VISIBLE_DEVICES=", (_GPU_DEVICES,))


def _mount(mount: Mount) -> Value:
    mode = ",readonly" if mount.read_only else ""
    return join("type=bind,", _field("source=", _source(mount)), ",", _field("target=", mount.target), mode)


def _field(name: str, value: Value) -> Value:
    """Write one field of `--mount`, which is a line of CSV."""
    special = any(char in part for part in value if isinstance(part, str) for char in ',"')
    if not special:
        return join(name, value)
    doubled = tuple(part.replace('"', '""') if isinstance(part, str) else part for part in value)
    return join(f'"{name}', doubled, '"')


def _source(mount: Mount) -> Value:
    return mount.source if mount.source is not None else (HUB_CACHE,)


def _health(health: Health, start_s: int) -> Iterator[tuple[Value, ...]]:
    yield text("--health-cmd"), text(shlex.join(health.command))
    yield text("--health-interval"), text(f"{_HEALTH_INTERVAL_S}s")
    yield text("--health-timeout"), text(f"{_HEALTH_TIMEOUT_S}s")
    yield text("--health-retries"), text("3")
    yield text("--health-start-period"), text(f"{start_s}s")


def _environment(placed: Placed) -> Iterator[tuple[Value, ...]]:
    if placed.process.role != "router":
        yield text("--env"), text(TOKEN)
    for each in placed.environment.variables:
        yield text("--env"), join(f"{each.name}=", each.value)
