"""What goes wrong at a start, how it looks and what cures it.

Each one was seen with vLLM 0.32.0 or SGLang 0.5.23 on a pair of hosts, by starting them with that mistake.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from string import Template
from typing import Literal

from launchplan.engines import Launch, Process, Site, Value

Shape = Literal["spanning", "data-parallel", "pools", "vllm-router", "sglang-router"]
"""How processes work together: one engine over several hosts, ranks of their own on each, pools, a router."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One row of the runbook's table."""

    seen: str
    cause: str
    cure: str


_TABLE: tuple[tuple[str, Shape, Failure], ...] = (
    ("vllm", "spanning", Failure(
        "the head stays silent after `distributed_init_method`, its /health never answers",
        "a follower is missing, or was given another head address, port or node count",
        "give all hosts this bundle and one head address, $head; stop every process, then start all again",
    )),
    ("vllm", "spanning", Failure(
        "a follower repeats `TCP client failed to connect`, for half an hour",
        "the head address $head is not one of node 0, or a firewall closes the ports between the hosts",
        "correct $head; open all ports between the hosts, for many of them are random",
    )),
    ("vllm", "spanning", Failure(
        "the head dies with `Gloo connectFullMesh failed`, remote=[127.0.0.1]",
        "the process runs without GLOO_SOCKET_IFNAME and the host's own name leads to 127.0.0.1",
        "start it by its own script, which sets it by $interface; stop followers that are left by hand",
    )),
    ("vllm", "spanning", Failure(
        "a follower dies with `collective_rpc should not be called on follower node`, the head hangs",
        "the follower was started without `--headless`",
        "start it by its own script; the head does not end on SIGTERM then, kill it",
    )),
    ("vllm", "spanning", Failure(
        "a process waits at `Launching 1 data parallel engine(s) in headless mode`",
        "`--headless` on node 0, or a follower with `--nnodes 1`",
        "start each host by its own script",
    )),
    ("vllm", "data-parallel", Failure(
        "the head dies with `Remote engine … must use --headless`",
        "a follower was started without `--headless`",
        "start it by its own script",
    )),
    ("vllm", "data-parallel", Failure(
        "the head dies with `HELLO message from remote engine 0, expected it to be local`",
        "a follower has no `--data-parallel-start-rank`",
        "start it by its own script",
    )),
    ("vllm", "data-parallel", Failure(
        "it serves, with fewer ranks than planned",
        "`--data-parallel-size` differs between the hosts, which vLLM does not notice",
        "render one bundle and copy it to all hosts",
    )),
    ("vllm", "pools", Failure(
        "every /health is 200, a request gives HTTP 500, decode logs `Remote NIXL agent engine ID mismatch`",
        "VLLM_NIXL_SIDE_CHANNEL_HOST is unset or localhost, so decode asks itself for the KV cache",
        "start each by its own script; $side_channel is the host's address as the others reach it",
    )),
    ("vllm", "vllm-router", Failure(
        "the router's /health is 200, each request gives `503 No available workers`",
        "the router runs without `--vllm-pd-disaggregation`, or knows no backend",
        "start it by router.sh",
    )),
    ("vllm", "vllm-router", Failure(
        "the router ends with `Timeout … waiting for hosts`",
        "a backend did not become healthy in time, 10 minutes by default",
        "start the router when wait-ready.sh succeeds on each backend",
    )),
    ("sglang", "sglang-router", Failure(
        "each request gives `503 No prefill workers available`",
        "no prefill server is healthy; the router starts all the same",
        "read the prefill servers' logs",
    )),
    ("sglang", "spanning", Failure(
        "a node hangs in `MessageQueue.wait_until_ready`",
        "two nodes share one /dev/shm, as containers with the host's IPC on one machine do",
        "give each node its own host, or its own /dev/shm",
    )),
    ("sglang", "spanning", Failure(
        "a follower's /health is 200 and nothing answers on the head",
        "followers answer for themselves, before the deployment works",
        "ask the head, by wait-ready.sh",
    )),
    ("sglang", "spanning", Failure(
        "the head takes half a minute to end after SIGTERM",
        "it winds down; the followers end right after it",
        "wait; a process that hung at its start has to be killed",
    )),
)  # fmt: skip


def failures(launch: Launch) -> tuple[Failure, ...]:
    """List the failures that can happen to a launch of this shape, with the names that this bundle has."""
    engine = launch.layout.resolved.deployment.engine
    shapes = _shapes(launch)
    names = _names(launch)
    return tuple(
        Failure(*(Template(part).substitute(names) for part in (failure.seen, failure.cause, failure.cure)))
        for of_engine, shape, failure in _TABLE
        if of_engine == engine and shape in shapes
    )


def _names(launch: Launch) -> dict[str, str]:
    """Say where head addresses and interfaces come from: the site's variables, or what the files give."""
    spanning = [process for process in launch.processes if _spans(process)]
    heads = [process.address for process in spanning if process.node == 0]
    return {
        "head": _origin(heads, "`nodes` in the cluster file"),
        "interface": _of_variable(launch, spanning, "GLOO_SOCKET_IFNAME", "`network` in the cluster file"),
        "side_channel": _of_variable(
            launch, launch.processes, "VLLM_NIXL_SIDE_CHANNEL_HOST", "`nodes` in the cluster file"
        ),
    }


def _spans(process: Process) -> bool:
    return any(flag.name == "--nnodes" for flag in process.flags)


def _of_variable(launch: Launch, processes: Iterable[Process], name: str, given_by: str) -> str:
    derived = [
        each.value for process in processes for each in process.env if each.name == name and not each.path
    ]
    shared = [
        each.value for each in (*launch.env, *(v for p in processes for v in p.env)) if each.name == name
    ]
    return _origin(derived, given_by) if derived else _origin(shared, f"{name} under `env`")


def _origin(values: Iterable[Value], given_by: str) -> str:
    """Name the site's variables in values; where there are none, the values and what gives them."""
    parts = list(dict.fromkeys(part for value in values for part in value))
    asked = [part.variable for part in parts if isinstance(part, Site)]
    given = [part for part in parts if isinstance(part, str)]
    return " or ".join(asked) or f"{' or '.join(given)} ({given_by})"


def _shapes(launch: Launch) -> set[Shape]:
    flags = {flag.name for process in launch.processes for flag in process.flags}
    programs = {part for process in launch.processes for word in process.command for part in word}
    shapes: set[Shape] = set()
    if "--nnodes" in flags:
        shapes.add("spanning")
    if "--data-parallel-address" in flags and "--headless" in flags:
        shapes.add("data-parallel")
    if "vllm-router" in programs:
        shapes.add("vllm-router")
    if "sglang_router.launch_router" in programs:
        shapes.add("sglang-router")
    if len(launch.layout.pools) > 1:
        shapes.add("pools")
    return shapes
