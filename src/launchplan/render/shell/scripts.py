"""One script a process: who it is, what it demands of the site, its command and environment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from launchplan.engines import BY_NAME, Launch, Process, Site, Value, Variable
from launchplan.engines.launch import text
from launchplan.render.shell.endpoint import api_port
from launchplan.render.shell.shellcheck import literal_codes

LOCAL_CACHE = "LOCAL_CACHE"
"""The one site variable that has a default: a folder in `/tmp`, which is a disk of the host."""


@dataclass(frozen=True, slots=True)
class Script:
    """What the script of one process holds."""

    name: str
    title: str
    host: str
    """The host as the runbook calls it."""
    demands: tuple[Value, ...]
    """The site variables that must be set before the start."""
    sites: tuple[str, ...]
    """The names of these variables and, where it is used, LOCAL_CACHE."""
    local_cache: bool
    """The caches lie in LOCAL_CACHE."""
    caches: tuple[str, ...]
    """Variables that name folders for compiled kernels."""
    command: tuple[Value, ...]
    flags: tuple[tuple[Value, ...], ...]
    """One flag with its values a line."""
    ray: tuple[tuple[Value, ...], ...]
    """Flags of Ray's head, one with its values a line; none where Ray has no part."""
    ray_place: tuple[Value, ...]
    """GPUs that Ray has to have, and its address."""
    env: tuple[Variable, ...]
    codes: str
    """What ShellCheck would ask about the flags."""
    command_codes: str
    """What it would ask about the command."""

    @property
    def has_demands(self) -> bool:
        """Whether the site must give anything."""
        return bool(self.demands)

    @property
    def has_caches(self) -> bool:
        """Whether folders for compiled kernels are to be made."""
        return bool(self.caches)

    @property
    def has_ray(self) -> bool:
        """Whether Ray starts before the command."""
        return bool(self.ray)

    @property
    def has_codes(self) -> bool:
        """Whether some flag holds what ShellCheck asks about."""
        return bool(self.codes)

    @property
    def has_command_codes(self) -> bool:
        """Whether the command holds what ShellCheck asks about."""
        return bool(self.command_codes)


def scripts(launch: Launch) -> tuple[Script, ...]:
    """Make the scripts of a launch, in start order."""
    return tuple(_script(process, launch) for process in launch.processes)


def sites_in(values: Iterable[Value]) -> tuple[Site, ...]:
    """List the site values among values, each variable once, by name."""
    found = {part.variable: part for value in values for part in value if isinstance(part, Site)}
    return tuple(found[name] for name in sorted(found))


def _script(process: Process, launch: Launch) -> Script:
    variables = (*launch.env, *process.env)
    ray = process.ray.flags if process.ray else ()
    sites = sites_in((*process.words, *(each.value for each in variables)))
    return Script(
        name=process.name,
        title=_title(process, launch),
        host=_host(process, launch),
        demands=tuple((site,) for site in sites if site.variable != LOCAL_CACHE),
        sites=tuple(site.variable for site in sites),
        local_cache=any(site.variable == LOCAL_CACHE for site in sites),
        caches=_caches(process, launch, variables),
        command=process.command,
        flags=tuple(((flag.name,), *flag.values) for flag in process.flags),
        ray=tuple(((flag.name,), *flag.values) for flag in ray),
        ray_place=(text(str(process.ray.gpus)), process.ray.address) if process.ray else (),
        env=process.env,
        codes=literal_codes(word for flag in process.flags for word in ((flag.name,), *flag.values)),
        command_codes=literal_codes(process.command),
    )


def _caches(process: Process, launch: Launch, variables: tuple[Variable, ...]) -> tuple[str, ...]:
    if process.role == "router":
        return ()
    engine = BY_NAME[launch.layout.resolved.deployment.engine]
    known = ("TRITON_CACHE_DIR", *(name for name, _ in engine.local_caches))
    given = {each.name: each.value for each in variables}  # the last one holds
    return tuple(name for name in known if any(given.get(name, ())))


def _title(process: Process, launch: Launch) -> str:
    if process.role == "router":
        return f"the router; serves the API on port {api_port(process)}"
    pool = next(pool for pool in launch.layout.resolved.pools if pool.role == process.role)
    instance = f" of instance {process.instance}" if pool.replicas > 1 else ""
    node = f"node {process.node} of {pool.nodes}{instance}"
    side = "" if process.role == "serve" else f"{process.role}, "
    if process.port is not None:
        what = "serves the API" if process.role == "serve" else "answers the router"
        head = ", the head" if pool.nodes > 1 and process.node == 0 else ""
        first = api_port(process)
        ports = f"port {first}" if process.servers == 1 else f"ports {first} to {first + process.servers - 1}"
        return f"{side}{node}{head}; {what} on {ports}"
    if process.is_worker:
        return f"{side}{node}, a Ray worker; serves no API"
    headless = launch.layout.resolved.deployment.engine == "vllm"
    return f"{side}{node}, a {'headless ' if headless else ''}follower; serves no API"


def _host(process: Process, launch: Launch) -> str:
    hosts = launch.layout.resolved.deployment.hosts
    if process.host >= len(hosts):
        return f"host {process.host}"
    known = hosts[process.host]
    return f"{known.name} ({known.address})" if known.name else known.address
