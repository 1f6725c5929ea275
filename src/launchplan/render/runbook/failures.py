"""Which known failures can happen to a launch: those of its shape and those of its model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import Template

from launchplan.catalog.advice import Issue
from launchplan.engines import Launch, Process, Site, Value
from launchplan.render.runbook.course import engine_timeout
from launchplan.render.runbook.failure_table import SEEN, TABLE, Failure, Shape
from launchplan.resolve import ResolvedPool

_NEWEST_CAPABILITY = (10, 3)


def failures(launch: Launch) -> tuple[Failure, ...]:
    """List the failures that can happen to this launch, its model's first, with the names of this bundle."""
    engine = launch.layout.resolved.deployment.engine
    shapes = {*_shapes(launch), *_kinds(launch)}
    names = _names(launch)
    of_shape = (
        Failure(
            Template(failure.seen).substitute(names),
            Template(failure.cause).substitute(names),
            Template(failure.cure).substitute(names),
            failure.known_from or SEEN[engine],
        )
        for of_engine, shape, failure in TABLE
        if of_engine in {"", engine} and shape in shapes
    )
    return (*_issues(launch), *of_shape)


def _issues(launch: Launch) -> Iterator[Failure]:
    """List what the catalog knows of the model, on these GPUs and from this checkpoint."""
    resolved = launch.layout.resolved
    model = resolved.deployment.model
    for issue in model.issues if model is not None else ():
        if issue.engine in {None, resolved.deployment.engine} and any(
            _happens(issue, pool) for pool in resolved.pools
        ):
            yield Failure(issue.seen, issue.cause, issue.cure, issue.source)


def _happens(issue: Issue, pool: ResolvedPool) -> bool:
    gpu = pool.gpu
    there = not issue.gpus or (gpu is not None and bool({gpu.id, gpu.arch, gpu.vendor} & {*issue.gpus}))
    return there and (not issue.checkpoints or pool.deployment.checkpoint in issue.checkpoints)


def _names(launch: Launch) -> dict[str, str]:
    """Say where head addresses and interfaces come from: the site's variables, or what the files give."""
    spanning = [process for process in launch.processes if _spans(process)]
    heads = [process.address for process in spanning if process.node == 0]
    several = [process for process in launch.processes if process.role != "router"]
    return {
        "head": _origin(heads, "`nodes` in the cluster file"),
        "interface": _of_variable(launch, several, "GLOO_SOCKET_IFNAME", "`network` in the cluster file"),
        "side_channel": _of_variable(
            launch, launch.processes, "VLLM_NIXL_SIDE_CHANNEL_HOST", "`nodes` in the cluster file"
        ),
        "timeout": engine_timeout(launch) or "600",
        "arch": " or sm_".join(dict.fromkeys(_newest_architectures(launch))),
    }


def _spans(process: Process) -> bool:
    return process.ray is not None or any(flag.name == "--nnodes" for flag in process.flags)


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
    shapes: set[Shape] = {"any"}
    fabrics = {each.pool.fabric.kind for each in launch.layout.pools if each.pool.fabric}
    if _crosses_network(launch) and fabrics & {"infiniband", "roce"}:
        shapes.add("rdma")
    if any(layout.pool.nodes > 1 for layout in launch.layout.pools):
        shapes.add("hosts")
    if any(process.ray for process in launch.processes):
        shapes.add("ray")
    elif "--nnodes" in flags:
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


def _kinds(launch: Launch) -> Iterator[Shape]:
    """Say what the ranks run, and on what."""
    pools = launch.layout.resolved.pools
    if any(pool.architecture is not None and pool.architecture.is_hybrid for pool in pools):
        yield "state"
    vendors = {pool.gpu.vendor for pool in pools if pool.gpu is not None}
    if "nvidia" in vendors:
        yield "nvidia"
    if "amd" in vendors:
        yield "amd"
    if any(_newest_architectures(launch)):
        yield "newest-nvidia"


def _newest_architectures(launch: Launch) -> Iterator[str]:
    """Name the architectures that a toolkit of yesterday does not know, as ptxas does: `103a`."""
    for pool in launch.layout.resolved.pools:
        capability = pool.gpu.capability if pool.gpu is not None else None
        if capability is not None and capability >= _NEWEST_CAPABILITY and capability[0] < 12:
            yield f"{capability[0]}{capability[1]}a"


def _crosses_network(launch: Launch) -> bool:
    return any(layout.link(kind) == "network" for layout in launch.layout.pools for kind in layout.groups)
