"""Everything that the template of the Slurm target may print."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.engines import Launch, Process, Site, Value
from launchplan.engines.hosts import cluster_of
from launchplan.engines.launch import text
from launchplan.recipe.cluster import Node, Slurm
from launchplan.render.backends import backend_urls
from launchplan.render.shell.scripts import LOCAL_CACHE, sites_in
from launchplan.render.slurm.containers import HUB, Container, container
from launchplan.render.slurm.options import Option, job_options

_OF_HOST = frozenset({"NODE_ADDR", "NODE_IFNAME"})
"""Site variables that differ from host to host; the job finds them."""


@dataclass(frozen=True, slots=True)
class Part:
    """The whole job, or one part of a heterogeneous one."""

    index: str
    follows: bool
    """Another part stands before it."""
    options: tuple[Option, ...]
    nodelist: str
    """The variable that holds its hosts."""
    group: tuple[Value, ...]
    """Words that make `srun` start here; none where there is one part."""


@dataclass(frozen=True, slots=True)
class Step:
    """One process on its host."""

    name: str
    host: str
    """Index of the host within the job."""
    options: tuple[Value, ...]
    """Options of `srun` for its part."""
    container: str
    """Name of its container."""
    contained: bool


@dataclass(frozen=True, slots=True)
class HeadAddress:
    """A variable that holds the address of a host."""

    variable: str
    host: str


@dataclass(frozen=True, slots=True)
class SlurmPlan:
    """The context of the Slurm target."""

    name: str
    engine: str
    title: str
    parts: tuple[Part, ...]
    hosts: tuple[Value, ...]
    """What the cluster file calls the hosts; none where Slurm chooses them."""
    addressed: bool
    """The cluster file has addresses that Slurm does not know hosts by."""
    interface: Value
    """The network interface that the cluster file names; the submitter's variable where it names none."""
    probed: bool
    """Addresses and interfaces of the hosts are to be found."""
    folders: tuple[Value, ...]
    """Folders that are made on each host for the containers."""
    hub: bool
    """The hub cache of the user who submits goes into the containers."""
    local_cache: bool
    """Kernel caches in LOCAL_CACHE go into the containers."""
    heads: tuple[HeadAddress, ...]
    containers: tuple[Container, ...]
    steps: tuple[Step, ...]
    """The engines, in start order."""
    router: tuple[Step, ...]
    """The router, where there is one."""
    backends: tuple[Value, ...]
    """URLs that answer before the router starts."""
    logs: Value
    """Folder of the logs."""

    @property
    def placed(self) -> bool:
        """Whether the cluster file says which hosts these are."""
        return bool(self.hosts)

    @property
    def asks_interface(self) -> bool:
        """Whether the submitter may name the network interface."""
        return self.probed and any(isinstance(part, Site) for part in self.interface)

    @property
    def has_folders(self) -> bool:
        """Whether hosts need folders for the containers."""
        return bool(self.folders)

    @property
    def contained(self) -> bool:
        """Whether the processes run in containers."""
        return bool(self.containers)


def slurm_plan(launch: Launch) -> SlurmPlan:
    """Bring a launch into the form that the template prints."""
    deployment = launch.layout.resolved.deployment
    cluster = cluster_of(deployment)
    site = cluster.slurm if cluster else Slurm()
    needed = sum(pool.pool.nodes * pool.pool.replicas for pool in launch.layout.pools)
    hosts = deployment.hosts[:needed] if len(deployment.hosts) >= needed else ()
    names = tuple(filter(None, map(_slurm_name, hosts)))
    containers = tuple(_containers(launch)) if site.container == "pyxis" else ()
    parts = _parts(launch, site, names if len(names) == len(hosts) else ())
    steps = tuple(_step(process, launch, parts, containers) for process in launch.processes)
    asked = _asked(launch)
    folders = (HUB, Site(LOCAL_CACHE, "kernel caches"))
    mounted = {part for each in containers for part in each.mounts}
    interface = cluster.network.interface if cluster else None
    kept = cluster.paths.logs if cluster else None
    return SlurmPlan(
        name=deployment.recipe.value.name,
        engine=deployment.engine_label,
        title="one heterogeneous job" if len(parts) > 1 else "one job",
        parts=parts,
        hosts=tuple(text(_slurm_name(host) or host.address) for host in hosts),
        addressed=len(names) < len(hosts),
        interface=text(interface) if interface else (Site("NODE_IFNAME", "network interface of every host"),),
        probed=bool(asked),
        folders=tuple((folder,) for folder in folders if folder in mounted),
        hub=HUB in mounted,
        local_cache=folders[1].variable in {part.variable for part in mounted if isinstance(part, Site)},
        heads=tuple(_heads(launch, asked)),
        containers=containers,
        steps=tuple(step for step in steps if step.name != "router"),
        router=tuple(step for step in steps if step.name == "router"),
        backends=backend_urls(launch),
        logs=text(kept)
        if kept
        else (Site("SLURM_SUBMIT_DIR", "folder that the job is submitted from"), "/logs"),
    )


def _asked(launch: Launch) -> frozenset[str]:
    """Name the site variables that the job itself finds: addresses and interfaces."""
    return frozenset(site.variable for site in launch.sites() if site.variable != LOCAL_CACHE)


def _slurm_name(host: Node) -> str | None:
    """Give the name that Slurm knows a host by; an IP address is none."""
    if host.name is not None:
        return host.name
    try:
        ipaddress.ip_address(host.address.removeprefix("[").removesuffix("]"))
    except ValueError:
        return host.address
    return None


def _parts(launch: Launch, site: Slurm, names: tuple[str, ...]) -> tuple[Part, ...]:
    """Make a part of each pool, whose hosts follow each other."""
    several = len(launch.layout.pools) > 1
    parts: list[Part] = []
    start = 0
    for index, layout in enumerate(launch.layout.pools):
        count = layout.pool.nodes * layout.pool.replicas
        own = names[start : start + count]
        start += count
        parts.append(
            Part(
                index=str(index),
                follows=index > 0,
                options=job_options(layout.pool, layout.ranks_per_node, own, site, first=index == 0),
                nodelist=f"SLURM_JOB_NODELIST_HET_GROUP_{index}" if several else "SLURM_JOB_NODELIST",
                group=(text("--het-group"), text(str(index))) if several else (),
            )
        )
    return tuple(parts)


def _step(
    process: Process, launch: Launch, parts: tuple[Part, ...], containers: tuple[Container, ...]
) -> Step:
    roles = [layout.pool.role for layout in launch.layout.pools]
    part = parts[0 if process.role == "router" else roles.index(process.role)]
    return Step(process.name, str(process.host), part.group, process.role, bool(containers))


def _containers(launch: Launch) -> Iterator[Container]:
    """Make a container for each kind of process; hosts of one pool have the same folders."""
    seen: set[str] = set()
    for process in launch.processes:
        name = process.role
        if name not in seen:
            seen.add(name)
            yield container(name, launch, process)


def _heads(launch: Launch, asked: frozenset[str]) -> Iterator[HeadAddress]:
    """Say which host each demanded head address is that of."""
    found: dict[str, int] = {}
    for process in launch.processes:
        for site in sites_in((process.address,)):
            if site.variable in asked - _OF_HOST:
                found.setdefault(site.variable, process.host)
    yield from (HeadAddress(variable, str(host)) for variable, host in found.items())
