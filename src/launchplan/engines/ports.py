"""The ports that a process listens on, what each is for, and which key moves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.engines.hosts import BOOTSTRAP_PORT, SIDE_CHANNEL_PORT, rendezvous_port
from launchplan.engines.launch import Launch, Process, Value, Variable
from launchplan.engines.ray import ray_port
from launchplan.finding import KeyPath

DATA_PARALLEL_RPC_PORT = 29550
"""Default of vLLM 0.33.0's `--data-parallel-rpc-port` (vllm/config/parallel.py:161)."""
SUPERVISOR_PORT = 9256
"""Default of vLLM 0.33.0's `--data-parallel-supervisor-port`, where the health of all ranks is asked."""


@dataclass(frozen=True, slots=True)
class PortUse:
    """Ports in a row that a process listens on."""

    ports: range
    what: str
    path: KeyPath
    """The key that moves them; the first part tells the file."""

    @property
    def cure(self) -> str:
        """Say how to move them."""
        where = "the cluster file" if self.path[0] == "cluster" else "the recipe"
        key = ".".join(str(part) for part in self.path if part != "cluster")
        return f"or set {key} in {where}"


def ports_of(process: Process, launch: Launch) -> Iterator[PortUse]:
    """List what a process listens on; a Unix socket in place of the API's port is none."""
    deployment = launch.layout.resolved.deployment
    if process.port is not None and last_value(process, "--uds") is None:
        first = _number(last_value(process, "--port"), process.port)
        path: KeyPath = ("router", "port") if process.role == "router" else ("serve", "port")
        yield PortUse(range(first, first + process.servers), "the API", path)
    flags = {flag.name for flag in process.flags}
    if process.node == 0 and flags & {"--master-addr", "--dist-init-addr"}:
        port = _number(last_value(process, "--master-port"), rendezvous_port(deployment))
        yield _of_cluster(range(port, port + 1), "the rendezvous", "rendezvous")
    if process.ray is not None:
        port = ray_port(deployment)
        yield _of_cluster(range(port, port + 1), "Ray's head", "ray")
    if process.node == 0 and flags & {"--data-parallel-address", "--data-parallel-rpc-port"}:
        port = _number(last_value(process, "--data-parallel-rpc-port"), DATA_PARALLEL_RPC_PORT)
        yield _of_cluster(range(port, port + 1), "data parallelism", "data_parallel_rpc")
    port_of_all = supervisor_port(process)
    if port_of_all is not None:
        path = ("args", "data-parallel-supervisor-port")
        yield PortUse(range(port_of_all, port_of_all + 1), "the health of all ranks", path)
    yield from _transfer(process, launch)


def supervisor_port(process: Process) -> int | None:
    """Give the port where a node's external ranks are asked for their health together; None without any.

    It answers once all of them do (vllm/entrypoints/launchers/dp_supervisor.py:219, 0.33.0).
    """
    if not any(flag.name == "--data-parallel-multi-port-external-lb" for flag in process.flags):
        return None
    return _number(last_value(process, "--data-parallel-supervisor-port"), SUPERVISOR_PORT)


def _of_cluster(ports: range, what: str, key: str) -> PortUse:
    return PortUse(ports, what, ("cluster", "ports", key))


def _transfer(process: Process, launch: Launch) -> Iterator[PortUse]:
    engine = launch.layout.resolved.deployment.engine
    if process.role == "prefill" and engine == "sglang" and process.node == 0:
        port = _number(last_value(process, "--disaggregation-bootstrap-port"), BOOTSTRAP_PORT)
        yield _of_cluster(range(port, port + 1), "the KV bootstrap", "bootstrap")
    if process.role in {"prefill", "decode"} and engine == "vllm":
        value = _variable(process.env, "VLLM_NIXL_SIDE_CHANNEL_PORT")
        given = "".join(part for part in value or () if isinstance(part, str))
        base, ranks = _number(given, SIDE_CHANNEL_PORT), leading_ranks(process, launch)
        yield _of_cluster(
            range(base + ranks.start, base + ranks.stop), "the KV side channel", "kv_side_channel"
        )


def leading_ranks(process: Process, launch: Launch) -> range:
    """List the data parallel ranks that are led from the process's node.

    Each listens on the side channel's port plus its index (vLLM 0.33.0, nixl/base_scheduler.py:78).
    """
    layout = next(each for each in launch.layout.pools if each.pool.role == process.role)
    if layout.nodes_per_dp_rank > 1:
        rank, follows = divmod(process.node, layout.nodes_per_dp_rank)
        return range(rank, rank if follows else rank + 1)
    first = process.node * layout.dp_ranks_per_node
    return range(first, min(first + layout.dp_ranks_per_node, layout.pool.parallel.dp))


def last_value(process: Process, flag: str) -> str | None:
    """Give the text of the last value that a flag is given, None when it is not or the site gives it."""
    values = [
        each.values[-1] for each in process.flags if each.name.replace("_", "-") == flag and each.values
    ]
    parts = values[-1] if values else ()
    return parts[0] if len(parts) == 1 and isinstance(parts[0], str) else None


def _number(given: str | None, default: int) -> int:
    return int(given) if given and given.isdecimal() else default


def _variable(variables: tuple[Variable, ...], name: str) -> Value | None:
    return next((each.value for each in reversed(variables) if each.name == name), None)
