"""What `preflight.sh` checks on each host: calls of its functions with the facts of that host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from launchplan.engines import Launch, Process, Site, Value, Variable
from launchplan.engines.hosts import BOOTSTRAP_PORT, SIDE_CHANNEL_PORT, rendezvous_port
from launchplan.engines.launch import join, text
from launchplan.render.shell.endpoint import api_port, last_value, listens_on_port
from launchplan.render.shell.scripts import LOCAL_CACHE, sites_in
from launchplan.render.shell.shellcheck import literal_codes
from launchplan.resolve import Deployment
from launchplan.units import GIB

Call = tuple[Value, ...]
"""One line of the script: the name of a function and its arguments."""
DATA_PARALLEL_RPC_PORT = 29550
"""Default of vLLM 0.33.0's `--data-parallel-rpc-port` (vllm/config/parallel.py:161)."""
_PATH_STARTS = ("/", "./", "../")


@dataclass(frozen=True, slots=True)
class HostChecks:
    """The checks of one process on the host that it starts on."""

    name: str
    """The process."""
    others: tuple[str, ...]
    """What may be written instead: the host's index and name."""
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Preflight:
    """The checks of all hosts."""

    names: str
    """The processes, one of which the script is given."""
    only: str
    """The process where there is but one; empty otherwise."""
    hosts: tuple[HostChecks, ...]
    codes: str
    """What ShellCheck would ask about the calls."""
    nvidia: bool
    """Some host has NVIDIA GPUs."""
    amd: bool
    """Some host has AMD GPUs."""
    other_gpus: bool
    """Some host has GPUs that there is no check for."""
    paths: bool
    """The model is a path."""
    disk: bool
    """The checkpoint's size is known and it comes from a hub."""
    interfaces: bool
    """Some process is bound to a network interface."""
    engine: bool
    """Some process is an engine of a known release."""
    programs: bool
    """Some program is looked for without regard to its release."""
    variables: bool
    """Some script demands variables of the site."""
    port_ranges: bool
    """Some process takes several ports in a row."""

    @property
    def has_only(self) -> bool:
        """Whether there is but one process, which needs no naming."""
        return bool(self.only)

    @property
    def has_several(self) -> bool:
        """Whether somebody has to say which process starts on the host."""
        return not self.only

    @property
    def has_codes(self) -> bool:
        """Whether the calls hold what ShellCheck asks about."""
        return bool(self.codes)


def preflight(launch: Launch) -> Preflight:
    """Choose the checks of a launch."""
    hosts = tuple(
        HostChecks(process.name, _other_names(process, launch), tuple(_calls(process, launch)))
        for process in launch.processes
    )
    used = {call[0] for host in hosts for call in host.calls}
    return Preflight(
        names=" ".join(host.name for host in hosts),
        only=hosts[0].name if len(hosts) == 1 else "",
        hosts=hosts,
        codes=literal_codes(word for host in hosts for call in host.calls for word in call),
        nvidia=text("check_nvidia_gpus") in used,
        amd=text("check_amd_gpus") in used,
        other_gpus=text("check_other_gpus") in used,
        paths=text("check_path") in used,
        disk=text("check_disk") in used,
        interfaces=text("check_interface") in used,
        engine=text("check_engine") in used,
        programs=text("check_program") in used,
        variables=text("check_variable") in used,
        port_ranges=text("check_ports") in used,
    )


def _other_names(process: Process, launch: Launch) -> tuple[str, ...]:
    if process.role == "router":
        return ()  # its host is one of the others
    hosts = launch.layout.resolved.deployment.hosts
    known = hosts[process.host].name if process.host < len(hosts) else None
    taken = {each.name for each in launch.processes}
    return (str(process.host), *((known,) if known and known not in taken and not known.isdecimal() else ()))


def _calls(process: Process, launch: Launch) -> Iterator[Call]:
    deployment = launch.layout.resolved.deployment
    yield from _demands(process, launch)
    if process.role == "router":
        yield _call("check_program", _words(process)[0])
    else:
        yield _gpus(process, launch)
        yield _engine(process, deployment)
        yield from _interface(process)
        yield from _checkpoint(process, launch)
    for ports, what, cure in _ports(process, launch):
        if len(ports) == 1:
            yield _call("check_port", str(ports[0]), what, cure)
        elif ports:
            yield _call("check_ports", str(ports[0]), str(ports[-1]), what, cure)


def _demands(process: Process, launch: Launch) -> Iterator[Call]:
    """Check what the process's script demands; an interface has a check of its own."""
    values = (*process.argv, *(each.value for each in (*launch.env, *process.env)))
    checked = {part.variable for part in _interface_value(process) or () if isinstance(part, Site)}
    for site in sites_in(values):
        if site.variable not in {LOCAL_CACHE, *checked}:
            yield (text("check_variable"), (site,), text(site.variable), text(site.hint))


def _gpus(process: Process, launch: Launch) -> Call:
    role = process.role
    gpu = next(pool.gpu for pool in launch.layout.resolved.pools if pool.role == role)
    vendor = gpu.vendor if gpu else None
    if vendor in {"nvidia", "amd"}:
        return _call(f"check_{vendor}_gpus", str(process.gpus))
    return _call("check_other_gpus", str(process.gpus))


def _engine(process: Process, deployment: Deployment) -> Call:
    program = _words(process)[0]
    if not any(char.isdigit() for char in deployment.version):
        return _call("check_program", program)  # a nightly build has no number to compare
    asked = (program, "--version") if deployment.engine == "vllm" else (program, "version")
    return _call("check_engine", deployment.version.removeprefix("v"), *asked)


def _interface(process: Process) -> Iterator[Call]:
    """Check the interface that Gloo takes by its exact name; NCCL's variable may hold prefixes."""
    value = _interface_value(process)
    if value is not None:
        site = next((part.variable for part in value if isinstance(part, Site)), "")
        yield (text("check_interface"), value, text(site))


def _interface_value(process: Process) -> Value | None:
    return _variable(process.env, "GLOO_SOCKET_IFNAME")


def _checkpoint(process: Process, launch: Launch) -> Iterator[Call]:
    deployment = launch.layout.resolved.deployment
    loaded = _words(process)[-1]
    if loaded.startswith(_PATH_STARTS):
        yield _call("check_path", loaded)
        return
    facts = deployment.checkpoint_facts
    if facts is None or facts.bytes is None:
        return
    variables = (*launch.env, *process.env)
    home = _variable(variables, "HF_HOME")
    cache = _variable(variables, "HF_HUB_CACHE") or (join(home, "/hub") if home else text(""))
    needed_gib = -(-facts.bytes // GIB)
    yield (text("check_disk"), text("models--" + loaded.replace("/", "--")), text(str(needed_gib)), cache)


def _ports(process: Process, launch: Launch) -> Iterator[tuple[Sequence[int], str, str]]:
    """Give the ports that must be free where the process starts, what they are for, and how to move them."""
    deployment = launch.layout.resolved.deployment
    serve = "router.port" if process.role == "router" else "serve.port"
    if listens_on_port(process):
        first = api_port(process)
        yield range(first, first + process.servers), "the API", f"or set {serve} in the recipe"
    flags = {flag.name for flag in process.flags}
    if process.node == 0 and flags & {"--master-addr", "--dist-init-addr"}:
        port = _number(last_value(process, "--master-port"), rendezvous_port(deployment))
        yield [port], "the rendezvous", "or set ports.rendezvous in the cluster file"
    if process.node == 0 and flags & {"--data-parallel-address", "--data-parallel-rpc-port"}:
        port = _number(last_value(process, "--data-parallel-rpc-port"), DATA_PARALLEL_RPC_PORT)
        yield [port], "data parallelism", "or set ports.data_parallel_rpc in the cluster file"
    yield from _transfer_ports(process, launch)


def _transfer_ports(process: Process, launch: Launch) -> Iterator[tuple[Sequence[int], str, str]]:
    engine = launch.layout.resolved.deployment.engine
    if process.role == "prefill" and engine == "sglang" and process.node == 0:
        port = _number(last_value(process, "--disaggregation-bootstrap-port"), BOOTSTRAP_PORT)
        yield [port], "the KV bootstrap", "or set ports.bootstrap in the cluster file"
    if process.role in {"prefill", "decode"} and engine == "vllm":
        value = _variable(process.env, "VLLM_NIXL_SIDE_CHANNEL_PORT")
        given = "".join(part for part in value or () if isinstance(part, str))
        base = _number(given, SIDE_CHANNEL_PORT)
        ports = [base + rank for rank in _leading_ranks(process, launch)]
        yield ports, "the KV side channel", "or set ports.kv_side_channel in the cluster file"


def _leading_ranks(process: Process, launch: Launch) -> range:
    """List the data parallel ranks that are led from the process's node.

    Each listens on the side channel's port plus its index (vLLM 0.33.0, nixl/base_scheduler.py:78).
    """
    layout = next(each for each in launch.layout.pools if each.pool.role == process.role)
    if layout.nodes_per_dp_rank > 1:
        rank, follows = divmod(process.node, layout.nodes_per_dp_rank)
        return range(rank, rank if follows else rank + 1)
    first = process.node * layout.dp_ranks_per_node
    return range(first, min(first + layout.dp_ranks_per_node, layout.pool.parallel.dp))


def _number(given: str | None, default: int) -> int:
    return int(given) if given and given.isdecimal() else default


def _variable(variables: tuple[Variable, ...], name: str) -> Value | None:
    """Give the value that a variable has in the end: the last one."""
    return next((each.value for each in reversed(variables) if each.name == name), None)


def _words(process: Process) -> tuple[str, ...]:
    """Give the words of a process's command; none of them is the site's to give."""
    return tuple("".join(part for part in word if isinstance(part, str)) for word in process.command)


def _call(*words: str) -> Call:
    return tuple(text(word) for word in words)
