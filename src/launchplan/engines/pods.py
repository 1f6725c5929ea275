"""What the hosts of a cluster file say that pods can be given: a pod comes to any host.

The pods of one template share their environment, so a variable reaches them when all hosts give it alike;
so does an interface, where pods use their host's network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from launchplan.finding import KeyPath
from launchplan.recipe.cluster import Node
from launchplan.resolve import Resolved


def host_network(resolved: Resolved) -> bool:
    """Tell whether pods use their host's network: RoCE addresses belong to the host's interfaces."""
    cluster = resolved.deployment.cluster
    wanted = cluster.value.kubernetes.host_network if cluster else None
    if wanted is not None:
        return wanted
    pools = resolved.pools
    return any(pool.nodes > 1 and pool.fabric is not None and pool.fabric.kind == "roce" for pool in pools)


def shared_environment(resolved: Resolved) -> Mapping[str, str]:
    """Give the variables that all hosts have alike, but those that the recipe sets and a host replaces."""
    hosts = _hosts(resolved)
    taken = {name for env in _recipe_environments(resolved) for name in env}
    first = hosts[0].env if hosts else {}
    return {
        name: value
        for name, value in first.items()
        if name not in taken and all(host.env.get(name) == value for host in hosts)
    }


def shared_interface(resolved: Resolved) -> str | None:
    """Give the interface that all hosts name, None where they name several or only some name one."""
    named = {host.interface for host in _hosts(resolved)}
    return next(iter(named)) if len(named) == 1 else None


def left_out(resolved: Resolved) -> Iterator[tuple[KeyPath, str]]:
    """List what hosts say that no pod is told: the place in the cluster file, and its name."""
    shared = shared_environment(resolved)
    interface = host_network(resolved) and shared_interface(resolved) is None
    for index, host in enumerate(_hosts(resolved)):
        for name in host.env:
            if name not in shared:
                yield ("cluster", "nodes", index, "env", name), name
        if interface and host.interface is not None:
            yield ("cluster", "nodes", index, "interface"), f"interface {host.interface}"


def _hosts(resolved: Resolved) -> tuple[Node, ...]:
    needed = sum(pool.nodes * pool.replicas for pool in resolved.pools)
    return resolved.deployment.hosts[:needed]


def _recipe_environments(resolved: Resolved) -> Iterator[Mapping[str, str]]:
    yield resolved.deployment.recipe.value.env
    yield from (pool.env for pool in resolved.pools)
