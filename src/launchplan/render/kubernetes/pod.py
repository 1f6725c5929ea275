"""One pod template: everything that its template may print."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines import Launch, Process
from launchplan.engines.container import image_of
from launchplan.engines.ports import supervisor_port
from launchplan.render.container.devices import Devices, devices_of, pool_of
from launchplan.render.container.environment import TOKEN
from launchplan.render.container.health import Health, health_of
from launchplan.render.container.place import STOP_S
from launchplan.render.container.start import start_budget_s
from launchplan.render.kubernetes.command import pod_command
from launchplan.render.kubernetes.names import base_name
from launchplan.render.kubernetes.site import POD_IP, cluster_or_default, host_network
from launchplan.render.kubernetes.volumes import Volume, volumes_of
from launchplan.render.shell.endpoint import api_port, is_given

_PROBE_S = 10
_CPUS_PER_GPU = 2
_MEMORY_GIB_PER_GPU = 8
_GPU_RESOURCES = {"nvidia": "nvidia.com/gpu", "amd": "amd.com/gpu", "intel": "gpu.intel.com/xe",
                  "google": "google.com/tpu", "huawei": "huawei.com/Ascend910"}  # fmt: skip
_SOCKET = ("--uds",)
_CLIQUE = "nvidia.com/gpu.clique"
_HOST_ADDRESS = {"vllm": "VLLM_HOST_IP", "sglang": "SGLANG_HOST_IP"}
"""What tells an engine its own address; else it asks the routing table, which several networks confuse."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A name and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class PodPort:
    """A port of a container; its name is what probes and Services call it by."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Pod:
    """The template of a pod with one container."""

    container: str
    title: str
    image: str
    image_known: bool
    command: tuple[str, ...]
    args: tuple[str, ...]
    env: tuple[Pair, ...]
    unknown: tuple[str, ...]
    """Variables that are left out, for which the cluster file names no interface."""
    engine: bool
    """An engine, not a router: it has GPUs, pins memory, and may need the hub's token."""
    token_secret: str
    token_optional: bool
    ports: tuple[PodPort, ...]
    """Those of its API servers, the first one `http`; none for a pod that serves nothing."""
    health_ports: tuple[PodPort, ...]
    """Where all of its API servers are asked for their health together; none where there is but one."""
    health: Health | None
    start_failures: int
    """Failed probes, ten seconds apart, that a start is granted."""
    stop_s: int
    resources: tuple[Pair, ...]
    """Extended resources; requests equal limits."""
    cpu: str
    memory: str
    volumes: tuple[Volume, ...]
    node_selector: tuple[Pair, ...]
    tolerations: tuple[str, ...]
    """Keys of taints that it stands."""
    host_network: bool
    amd: bool
    compute_domain: str
    """ResourceClaimTemplate of the IMEX channel; empty where none is needed."""
    topology_key: str
    """Node label that the pods of a group share; empty where any node will do."""

    @property
    def serves(self) -> bool:
        """Whether it serves an API."""
        return bool(self.ports)

    @property
    def port(self) -> int:
        """The first port of its API."""
        return self.ports[0].number

    @property
    def probed(self) -> str:
        """The port that probes ask."""
        return (*self.health_ports, *self.ports)[0].name

    @property
    def has_health(self) -> bool:
        """Whether it can be asked for its health."""
        return self.health is not None

    @property
    def generates(self) -> bool:
        """Whether its start is over when a request generates."""
        return self.health is not None and self.health.generates

    @property
    def startup(self) -> tuple[str, ...]:
        """The words that ask for tokens."""
        return self.health.command if self.health else ()

    @property
    def scheme(self) -> str:
        """HTTP or HTTPS, as probes spell it."""
        return self.health.scheme.upper() if self.health else "HTTP"

    @property
    def has_env(self) -> bool:
        """Whether it is given variables."""
        return self.engine or bool(self.env)

    @property
    def lacks(self) -> bool:
        """Whether variables are left out."""
        return bool(self.unknown)

    @property
    def has_selector(self) -> bool:
        """Whether only some nodes will do."""
        return bool(self.node_selector)

    @property
    def has_compute_domain(self) -> bool:
        """Whether it needs an IMEX channel."""
        return bool(self.compute_domain)

    @property
    def has_topology(self) -> bool:
        """Whether the pods of a group stay together."""
        return bool(self.topology_key)

    @property
    def has_volumes(self) -> bool:
        """Whether it mounts anything."""
        return bool(self.volumes)


def pod_of(launch: Launch, processes: tuple[Process, ...], title: str, container: str = "") -> Pod:
    """Describe the pod template that stands for processes which differ by their rank alone."""
    first = processes[0]
    cluster = cluster_or_default(launch).kubernetes
    engine = first.role != "router"
    command = pod_command(launch, processes)
    devices = devices_of(launch, first)
    deployment = launch.layout.resolved.deployment
    image = image_of(launch, first).reference
    return Pod(
        container=container or (deployment.engine if engine else "router"),
        title=title,
        image=image or f"{deployment.engine}:{deployment.version}",
        image_known=image is not None,
        command=command.command,
        args=(*command.args, *_reachable(launch, first)),
        env=(*_own_address(launch, first, command.env), *(Pair(name, text) for name, text in command.env)),
        unknown=command.unknown,
        engine=engine,
        token_secret=cluster.token_secret or TOKEN.lower().replace("_", "-"),
        token_optional=cluster.token_secret is None,
        ports=_ports(first),
        health_ports=tuple(PodPort("health", port) for port in [supervisor_port(first)] if port is not None),
        health=health_of(launch, first),
        start_failures=start_budget_s(launch, first.role) // _PROBE_S,
        stop_s=STOP_S,
        resources=_resources(launch, first, devices),
        cpu=str(max(1, _CPUS_PER_GPU * devices.gpus)),
        memory=f"{max(1, _MEMORY_GIB_PER_GPU * devices.gpus)}Gi",
        volumes=volumes_of(launch, first),
        node_selector=_node_selector(launch, first),
        tolerations=_tolerations(launch, first),
        host_network=engine and host_network(launch),
        amd=devices.amd,
        compute_domain=f"{base_name(launch)}-imex" if devices.imex else "",
        topology_key=_topology_key(launch, first, devices),
    )


def _ports(process: Process) -> tuple[PodPort, ...]:
    """Name the port of each API server: `http`, `http-1`, and so on."""
    if process.port is None or is_given(process, _SOCKET):
        return ()
    names = ("http", *(f"http-{index}" for index in range(1, process.servers)))
    return tuple(PodPort(name, api_port(process) + index) for index, name in enumerate(names))


def _reachable(launch: Launch, process: Process) -> tuple[str, ...]:
    """Have SGLang listen where probes and Services reach it; its default is the pod's loopback."""
    if (
        process.role != "serve"
        or process.port is None
        or launch.layout.resolved.deployment.engine != "sglang"
    ):
        return ()
    return () if any(flag.name == "--host" for flag in process.flags) else ("--host", "0.0.0.0")  # noqa: S104


def _own_address(launch: Launch, process: Process, env: tuple[tuple[str, str], ...]) -> tuple[Pair, ...]:
    pool = pool_of(launch, process)
    name = _HOST_ADDRESS[launch.layout.resolved.deployment.engine]
    wanted = pool is not None and (pool.nodes > 1 or pool.role != "serve")
    return (Pair(name, POD_IP),) if wanted and name not in dict(env) else ()


def _resources(launch: Launch, process: Process, devices: Devices) -> tuple[Pair, ...]:
    pool = pool_of(launch, process)
    if pool is None:
        return ()
    cluster = cluster_or_default(launch)
    vendor = pool.gpu.vendor if pool.gpu is not None else "nvidia"
    found = [Pair(cluster.kubernetes.gpu_resource or _GPU_RESOURCES[vendor], str(process.gpus))]
    if cluster.kubernetes.rdma_resource and devices.travels:
        count = cluster.kubernetes.rdma_per_pod or len(cluster.network.hcas) or 1
        found.append(Pair(cluster.kubernetes.rdma_resource, str(count)))
    return tuple(found)


def _node_selector(launch: Launch, process: Process) -> tuple[Pair, ...]:
    wanted = dict(cluster_or_default(launch).kubernetes.node_selector) if process.role != "router" else {}
    pool = pool_of(launch, process)
    if pool is not None and pool.gpu is not None and pool.gpu.cpu_arch == "aarch64":
        wanted.setdefault("kubernetes.io/arch", "arm64")
    return tuple(Pair(name, text) for name, text in sorted(wanted.items()))


def _tolerations(launch: Launch, process: Process) -> tuple[str, ...]:
    pool = pool_of(launch, process)
    if pool is None:
        return ()
    gpu = _resources(launch, process, devices_of(launch, process))[0].name
    arm = pool.gpu is not None and pool.gpu.cpu_arch == "aarch64"
    return (gpu, *(["kubernetes.io/arch"] if arm else []))


def _topology_key(launch: Launch, process: Process, devices: Devices) -> str:
    pool = pool_of(launch, process)
    if pool is None or pool.nodes == 1:
        return ""
    return cluster_or_default(launch).kubernetes.topology_key or (_CLIQUE if devices.imex else "")
