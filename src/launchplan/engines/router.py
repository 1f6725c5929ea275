"""The router in front of prefill and decode pools.

vllm-router 0.1.17 needs `--vllm-pd-disaggregation`: without it the router is healthy and answers every
request with 503. sglang-router 0.3.2 takes the bootstrap port after each prefill URL.
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.engines.flags import flag, raw_flag
from launchplan.engines.hosts import BOOTSTRAP_PORT, cluster_of, with_port
from launchplan.engines.launch import Flag, Process, Value, Variable, join, text
from launchplan.recipe.schema import Router
from launchplan.resolve import Deployment

COMMANDS = {
    "vllm-router": ("vllm-router",),
    "sglang-router": ("python3", "-m", "sglang_router.launch_router"),
}
OF_ENGINE = {"vllm": "vllm-router", "sglang": "sglang-router"}


def router_kind(deployment: Deployment) -> str:
    """Name the router program: the recipe's, else that of the engine."""
    wanted = deployment.recipe.value.router
    return (wanted.kind if wanted else None) or OF_ENGINE[deployment.engine]


def router_process(deployment: Deployment, engines: tuple[Process, ...], address: Value) -> Process:
    """Make the router's process; it runs on the first host beside the engine."""
    wanted = deployment.recipe.value.router or Router()
    kind = router_kind(deployment)
    flags: list[Flag] = [
        flag("--host", wanted.host, ("router", "host")),
        flag("--port", wanted.port, ("router", "port")),
    ]
    flags.append(Flag("--vllm-pd-disaggregation" if kind == "vllm-router" else "--pd-disaggregation"))
    flags += (each for process in engines for each in _backends(kind, deployment, process))
    if wanted.policy:
        flags.append(flag("--policy", wanted.policy, ("router", "policy")))
    flags += _arguments(wanted, kind)
    return Process(
        name="router",
        role="router",
        instance=0,
        node=0,
        host=0,
        gpus=0,
        command=tuple(text(word) for word in COMMANDS[kind]),
        flags=tuple(flags),
        env=tuple(Variable(name, text(value), ("router", "env", name)) for name, value in wanted.env.items()),
        port=wanted.port,
        address=address,
    )


def _backends(kind: str, deployment: Deployment, process: Process) -> Iterator[Flag]:
    """Name every API server of a process, the bootstrap port behind those of a prefill."""
    bootstrap: tuple[Value, ...] = ()
    if kind == "sglang-router" and process.role == "prefill":
        cluster = cluster_of(deployment)
        bootstrap = (text(str((cluster.ports.bootstrap if cluster else None) or BOOTSTRAP_PORT)),)
    for port in process.ports:
        url = join("http://", with_port(process.address, port))
        yield Flag(f"--{process.role}", (url, *bootstrap), ("pools", process.role))


def _arguments(wanted: Router, kind: str) -> Iterator[Flag]:
    known = catalog.versions(kind)
    facts = catalog.engine_facts(kind, known[-1]) if known else None
    for name, value in wanted.args.items():
        made = raw_flag(name.lstrip("-"), value, facts, ("router", "args", name))
        if made is not None:
            yield made
