"""From a placed layout to the processes that are started."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from launchplan.engines.commands import bare_text
from launchplan.engines.hosts import Instance, api_port, cluster_of
from launchplan.engines.launch import (
    RAY_START,
    Flag,
    Inherited,
    Launch,
    Process,
    Site,
    Value,
    Variable,
    join,
    text,
)
from launchplan.engines.ray import OWN_ADDRESS, head_of, worker_flags
from launchplan.engines.router import router_process
from launchplan.engines.sglang import build as sglang
from launchplan.engines.view import EngineView
from launchplan.engines.views import view_of_flags
from launchplan.engines.vllm import build as vllm
from launchplan.layout import Layout, PoolLayout
from launchplan.resolve import Deployment, Resolved, ResolvedPool


@dataclass(frozen=True, slots=True)
class Engine:
    """How one engine is started; the table below is all that knows the engines by name."""

    command: Callable[[Value], tuple[Value, ...]]
    flags: Callable[[Instance, int], tuple[Flag, ...]]
    unplaced_flags: Callable[[ResolvedPool], tuple[Flag, ...]]
    environment: Callable[[Instance, int], Iterator[Variable]]
    api_servers: Callable[[PoolLayout, int], int]
    """API servers of a node."""
    by_ray: Callable[[ResolvedPool], bool]
    """Whether the recipe has Ray start the ranks of several nodes."""
    local_caches: tuple[tuple[str, str], ...]
    serve_keys: frozenset[str]
    """Keys of a recipe's `serve` that this engine has a flag for."""


BY_NAME = {
    "vllm": Engine(
        vllm.command,
        vllm.flags,
        vllm.unplaced_flags,
        vllm.environment,
        vllm.api_servers,
        vllm.by_ray,
        vllm.LOCAL_CACHES,
        frozenset((*vllm.SERVE_FLAGS, *vllm.OTHER_SERVE_KEYS)),
    ),
    "sglang": Engine(
        sglang.command,
        sglang.flags,
        sglang.unplaced_flags,
        sglang.environment,
        sglang.api_servers,
        sglang.by_ray,
        sglang.LOCAL_CACHES,
        frozenset((*sglang.SERVE_FLAGS, *sglang.OTHER_SERVE_KEYS)),
    ),
}


def build_launch(layout: Layout, *, heads_only: bool = False) -> Launch:
    """Make every process of a deployment, heads before their followers, the router last.

    With `heads_only` the followers are left out: enough for what the engines make of their command lines.
    """
    deployment = layout.resolved.deployment
    instances = _instances(layout)
    processes = [
        _process(instance, node)
        for instance in instances
        for node in range(1 if heads_only else instance.layout.pool.nodes)
    ]
    if deployment.recipe.value.pools is not None:
        processes.append(router_process(deployment, tuple(processes), instances[0].head_address()))
    return Launch(
        layout, tuple(processes), tuple(_shared_environment(layout)), _model_name(layout, processes)
    )


def head_views(resolved: Resolved, launch: Launch | None) -> tuple[EngineView, ...]:
    """Read back the head's command line of every pool, as the engine will, placed or not."""
    return tuple(view for pool in resolved.pools if (view := _head_view(pool, launch)) is not None)


def _head_view(pool: ResolvedPool, launch: Launch | None) -> EngineView | None:
    cluster = cluster_of(pool.deployment)
    env = dict(cluster.env if cluster else {}) | dict(pool.env)
    model = text(_model_argument(pool.deployment))
    for process in launch.processes if launch else ():
        if process.role == pool.role and process.node == 0 and process.instance == 0:
            # What Ray compares is known from the plan; a command that somebody wrote has to say it itself.
            env |= {each.name: bare_text(each.value) for each in process.env if each.name == OWN_ADDRESS}
            return view_of_flags(pool, model, process.flags, env)
    return view_of_flags(pool, model, BY_NAME[pool.deployment.engine].unplaced_flags(pool), env)


def _instances(layout: Layout) -> tuple[Instance, ...]:
    instances: list[Instance] = []
    host = 0
    for pool in layout.pools:
        for index in range(pool.pool.replicas):
            instances.append(Instance(pool, index, host))
            host += pool.pool.nodes
    return tuple(instances)


def _process(instance: Instance, node: int) -> Process:
    pool = instance.layout.pool
    engine = BY_NAME[instance.deployment.engine]
    servers = engine.api_servers(instance.layout, node)
    model = text(_model_argument(instance.deployment))
    by_ray = engine.by_ray(pool)
    works = by_ray and node > 0
    return Process(
        name=_name(instance, node),
        role=pool.role,
        instance=instance.index,
        node=node,
        host=instance.first_host + node,
        gpus=instance.layout.ranks_per_node,
        command=RAY_START if works else engine.command(model),
        flags=worker_flags(instance, node)
        if works
        else _with_served_name(engine.flags(instance, node), instance.deployment),
        env=tuple(_node_environment(instance, node, engine)),
        port=api_port(pool) if servers else None,
        address=instance.public_address(node) if servers else instance.address(node),
        servers=max(1, servers),
        model=model,
        ray=head_of(instance) if by_ray and node == 0 else None,
    )


def _name(instance: Instance, node: int) -> str:
    pool = instance.layout.pool
    if pool.role == "serve":
        return f"node-{node}"
    return f"{pool.role}-{instance.index * pool.nodes + node}"


def _model_argument(deployment: Deployment) -> str:
    cluster = cluster_of(deployment)
    return (cluster.paths.model if cluster else None) or deployment.checkpoint


def _with_served_name(flags: tuple[Flag, ...], deployment: Deployment) -> tuple[Flag, ...]:
    """Keep the name that clients know when the cluster file points at a folder."""
    if _model_argument(deployment) == deployment.checkpoint:
        return flags
    if any(flag.name == "--served-model-name" for flag in flags):
        return flags
    return (*flags, Flag("--served-model-name", (text(deployment.checkpoint),)))


def _model_name(layout: Layout, processes: Sequence[Process]) -> str:
    """Give the first name that the serving head is told to answer to, else what it loads."""
    heads = [process for process in processes if process.node == 0 and process.role != "router"]
    named = [flag.values[0] for flag in heads[-1].flags if flag.name == "--served-model-name" and flag.values]
    first = named[-1][0] if named else None
    return first if isinstance(first, str) else layout.resolved.deployment.checkpoint


def _shared_environment(layout: Layout) -> Iterator[Variable]:
    """Give what holds on every host: fabric, then cluster, then recipe; the later one wins."""
    deployment = layout.resolved.deployment
    cluster = cluster_of(deployment)
    values: dict[str, Variable] = {}
    for pool in layout.pools:
        if pool.pool.nodes > 1 and pool.pool.fabric is not None:
            for variable in pool.pool.fabric.env:
                if variable.required and variable.value is not None:
                    own = (Inherited(variable.name),) if variable.prepend else ()
                    values[variable.name] = Variable(variable.name, (variable.value, *own))
    if cluster is not None and cluster.network.hcas and any(pool.pool.nodes > 1 for pool in layout.pools):
        values["NCCL_IB_HCA"] = Variable("NCCL_IB_HCA", text(",".join(cluster.network.hcas)))
    if cluster is not None and cluster.paths.hub_cache:
        values["HF_HOME"] = Variable("HF_HOME", text(cluster.paths.hub_cache))
    for name, value in (cluster.env if cluster else {}).items():
        values[name] = Variable(name, text(value))
    for name, value in deployment.recipe.value.env.items():
        values[name] = Variable(name, text(value), ("env", name))
    yield from values.values()


def _node_environment(instance: Instance, node: int, engine: Engine) -> Iterator[Variable]:
    """Give what holds on one host: pinned interfaces, local caches, the engine's own, then the pool's."""
    pool = instance.layout.pool
    taken = _given_names(pool, instance, node)
    own: list[Variable] = []
    if pool.nodes > 1 or pool.role != "serve":
        interface = instance.interface(node)
        own += [Variable("NCCL_SOCKET_IFNAME", interface), Variable("GLOO_SOCKET_IFNAME", interface)]
    if pool.nodes > 1:
        own += _cache_environment(instance, engine)
    own += engine.environment(instance, node)
    yield from (variable for variable in own if variable.name not in taken)
    for name, value in pool.env.items():
        if instance.deployment.recipe.value.env.get(name) != value:
            yield Variable(name, text(value), pool.path("env", name))
    host = instance.host(node)
    for name, value in (host.env if host else {}).items():
        yield Variable(name, text(value))


def _given_names(pool: ResolvedPool, instance: Instance, node: int) -> frozenset[str]:
    """List the variables that recipe or cluster file set themselves; those are not derived."""
    cluster = cluster_of(instance.deployment)
    host = instance.host(node)
    return frozenset((*pool.env, *(cluster.env if cluster else ()), *(host.env if host else ())))


def _cache_environment(instance: Instance, engine: Engine) -> list[Variable]:
    """Put compiled kernels on a disk of the host.

    Several hosts that compile into one shared home corrupt each other's cache; a Triton cache on shared
    storage was seen to break multi-node starts.
    """
    cluster = cluster_of(instance.deployment)
    given = cluster.paths.local_cache if cluster else None
    root: Value = text(given) if given else (Site("LOCAL_CACHE", "folder on a disk of this host"),)
    caches = (("TRITON_CACHE_DIR", "triton"), *engine.local_caches)
    return [Variable(name, join(root, f"/{folder}")) for name, folder in caches]
