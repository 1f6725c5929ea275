"""Everything that the templates of the systemd target may print."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.engines import Inherited, Launch, Process, Value, Variable
from launchplan.engines.hosts import cluster_of, with_port
from launchplan.engines.launch import join, text
from launchplan.recipe.cluster import Systemd
from launchplan.render.backends import backend_urls
from launchplan.render.container.health import health_of
from launchplan.render.container.start import start_budget_s
from launchplan.render.quoting import variable_name
from launchplan.render.ray import words_before
from launchplan.render.shell.scripts import LOCAL_CACHE, Script, scripts, sites_in

_ATTEMPTS = 3
"""Starts that end badly before systemd gives up: a mistake does not heal by loading a checkpoint again."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A variable with a text that no host changes."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Demand:
    """A value that only the site knows."""

    name: str
    hint: str


@dataclass(frozen=True, slots=True)
class Unit:
    """One process as a service."""

    name: str
    process: str
    title: str
    host: str
    after: tuple[str, ...]
    """Units of the same host that start before it."""
    mounts: tuple[str, ...]
    """Folders whose file systems have to be there."""
    settings: tuple[Setting, ...]
    local_cache: bool
    """Kernel caches lie in the service's own cache folder."""
    folders: tuple[Value, ...]
    """Folders for compiled kernels, made before the start."""
    environment: tuple[tuple[Value, ...], ...]
    """`NAME=value` for variables in which the site has a part."""
    ray: tuple[Value, ...]
    """What the script that starts Ray is given before the command; none where Ray has no part."""
    command: tuple[Value, ...]
    flags: tuple[tuple[Value, ...], ...]
    """One flag with its values a line."""
    health: tuple[Value, ...]
    """URL that answers when the process serves; none for one that serves nothing."""
    backends: tuple[Value, ...]
    """URLs that answer before the process starts."""
    restarts: bool
    """The process can come back alone."""
    start_s: str
    """Seconds that a start may take."""
    window_s: str
    """Seconds in which so many starts may fail."""

    @property
    def has_mounts(self) -> bool:
        """Whether some file system has to be there."""
        return bool(self.mounts)

    @property
    def has_folders(self) -> bool:
        """Whether folders are made."""
        return bool(self.folders)

    @property
    def has_ray(self) -> bool:
        """Whether Ray starts before the command."""
        return bool(self.ray)

    @property
    def has_backends(self) -> bool:
        """Whether it waits for others."""
        return bool(self.backends)

    @property
    def has_health(self) -> bool:
        """Whether its start is over when it answers."""
        return bool(self.health)


@dataclass(frozen=True, slots=True)
class SystemdPlan:
    """The context of the systemd target."""

    name: str
    engine: str
    folder: str
    """Where the bundle lies on every host."""
    user: str
    demands: tuple[Demand, ...]
    attempts: str
    units: tuple[Unit, ...]

    @property
    def has_user(self) -> bool:
        """Whether the processes run as somebody else than root."""
        return bool(self.user)

    @property
    def has_demands(self) -> bool:
        """Whether the site must give anything."""
        return bool(self.demands)


def systemd_plan(launch: Launch) -> SystemdPlan:
    """Bring a launch into the form that the templates print."""
    deployment = launch.layout.resolved.deployment
    cluster = cluster_of(deployment)
    site = cluster.systemd if cluster else Systemd()
    name = deployment.recipe.value.name
    budgets = {role: start_budget_s(launch, role) for role in {process.role for process in launch.processes}}
    return SystemdPlan(
        name=name,
        engine=deployment.engine_label,
        folder=site.folder or f"/opt/launchplan/{name}",
        user=site.user or "",
        demands=tuple(
            Demand(each.variable, each.hint) for each in launch.sites() if each.variable != LOCAL_CACHE
        ),
        attempts=str(_ATTEMPTS),
        units=tuple(
            _unit(process, script, launch, budgets[process.role])
            for process, script in zip(launch.processes, scripts(launch), strict=True)
        ),
    )


def _unit(process: Process, script: Script, launch: Launch, start_s: int) -> Unit:
    name = launch.layout.resolved.deployment.recipe.value.name
    variables = {each.name: each for each in (*launch.env, *process.env)}
    plain = {key: _plain(each) for key, each in variables.items()}
    return Unit(
        name=f"{name}-{process.name}",
        process=process.name,
        title=script.title,
        host=script.host,
        after=tuple(f"{name}-{each.name}.service" for each in _before(process, launch)),
        mounts=tuple(_mounts(process, plain)),
        settings=tuple(
            Setting(variable_name(key), value) for key, value in plain.items() if value is not None
        ),
        local_cache=script.local_cache,
        folders=tuple(variables[each].value for each in script.caches),
        environment=tuple(
            (join(f"{variable_name(key)}=", variables[key].value),)
            for key, value in plain.items()
            if value is None
        ),
        ray=words_before(process.ray) if process.ray else (),
        command=script.command,
        flags=script.flags,
        health=tuple(_health(process, launch)),
        backends=backend_urls(launch) if process.role == "router" else (),
        restarts=_is_alone(process, launch),
        start_s=str(start_s),
        window_s=str(start_s * (_ATTEMPTS + 1)),
    )


def _plain(variable: Variable) -> str | None:
    """Give a value that holds on every host; None for one with a part of the site's."""
    if sites_in((variable.value,)):
        return None
    texts = [part for part in variable.value if not isinstance(part, Inherited)]
    return "".join(part for part in texts if isinstance(part, str))


def _before(process: Process, launch: Launch) -> Iterator[Process]:
    """List the engines on a router's own host; those on others are asked over the network."""
    if process.role == "router":
        yield from (each for each in launch.processes if each.host == process.host and each is not process)


def _mounts(process: Process, plain: dict[str, str | None]) -> Iterator[str]:
    model = "".join(part for part in process.model if isinstance(part, str))
    named = (model, plain.get("HF_HOME"), plain.get("HF_HUB_CACHE"))
    if process.role != "router":
        yield from dict.fromkeys(each for each in named if each and each.startswith("/"))


def _health(process: Process, launch: Launch) -> Iterator[Value]:
    health = health_of(launch, process)
    if health is not None:
        yield join(f"{health.scheme}://", with_port(text(health.address), health.port), health.path)


def _is_alone(process: Process, launch: Launch) -> bool:
    """Tell whether a process can come back while the others run.

    Processes of an instance over several hosts meet once, at their start: one that comes back waits for
    others that wait for the one before.
    """
    pools = {pool.role: pool for pool in launch.layout.resolved.pools}
    return process.role == "router" or pools[process.role].nodes == 1
