"""A launch as pods see it: no hosts are named, and the site's values are what the kubelet knows.

The kubelet replaces `$(NAME)` in commands, arguments and environment by a variable that the container has,
and `$$` by a dollar. A LeaderWorkerSet gives each container LWS_LEADER_ADDRESS and LWS_WORKER_INDEX before
all others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from launchplan.engines import Inherited, Launch, Process, Site, Value, build_launch, pods
from launchplan.engines.hosts import cluster_of
from launchplan.layout import place
from launchplan.recipe.cluster import Cluster
from launchplan.render.kubernetes.names import pod_host
from launchplan.render.quoting import printable
from launchplan.render.shell.scripts import LOCAL_CACHE

POD_IP = "$(POD_IP)"
LOCAL_CACHE_FOLDER = "/var/cache/launchplan"
_POD_INTERFACE = "eth0"
_EXPANDED = re.compile(r"\$(?=[$(]|\Z)")


def cluster_or_default(launch: Launch) -> Cluster:
    """Give the cluster file, or an empty one."""
    return cluster_of(launch.layout.resolved.deployment) or Cluster(launchplan=1, name="any")


def host_network(launch: Launch) -> bool:
    """Tell whether pods use their host's network."""
    return pods.host_network(launch.layout.resolved)


def launch_of_pods(launch: Launch) -> Launch:
    """Plan the launch again without the hosts of the cluster file: a pod comes to any of them.

    What all hosts say alike stays. Names of the host's interfaces go, unless pods use the host's network.
    """
    resolved = launch.layout.resolved
    known = resolved.deployment.cluster
    if known is None:
        return launch
    network = known.value.network
    interface = (pods.shared_interface(resolved) or network.interface) if host_network(launch) else None
    network = network.model_copy(update={"interface": interface})
    env = {**known.value.env, **pods.shared_environment(resolved)}
    value = known.value.model_copy(update={"nodes": None, "network": network, "env": env})
    deployment = replace(resolved.deployment, cluster=replace(known, value=value))
    pools = tuple(replace(pool, deployment=deployment) for pool in resolved.pools)
    layout = place(replace(resolved, deployment=deployment, pools=pools))
    if layout is None:
        raise ValueError("a launch without hosts has the layout of the one with them")
    return build_launch(layout)


def sites_of(launch: Launch, process: Process) -> Mapping[str, str]:
    """Say what each site variable is in the pod of a process; those that nobody knows are left out."""
    named = [each for each in launch.processes if each.role != "router"]
    known = {variable: pod_host(launch, each) for each in named for variable in _address_of(each)}
    known |= {"NODE_ADDR": POD_IP, LOCAL_CACHE: LOCAL_CACHE_FOLDER}
    if not host_network(launch):
        known["NODE_IFNAME"] = _POD_INTERFACE
    group = [each for each in named if (each.role, each.instance) == (process.role, process.instance)]
    # The own pod comes last, for workers share the variable of their address.
    for each in sorted(group, key=lambda each: each.node == process.node):
        # A head binds to its address; sockets of ZeroMQ take no name there.
        address = POD_IP if each.node == process.node else _of_group(launch, each)
        known |= dict.fromkeys(_address_of(each), address)
    return known


def _address_of(process: Process) -> list[str]:
    return [part.variable for part in process.address if isinstance(part, Site)]


def _of_group(launch: Launch, process: Process) -> str:
    """Name a pod of the own group: its leader as LeaderWorkerSet does."""
    return pod_host(launch, process) if process.node else "$(LWS_LEADER_ADDRESS)"


def pod_text(value: Value, sites: Mapping[str, str]) -> str | None:
    """Write a value as the kubelet reads it; None when the site variable in it is known to nobody."""
    written: list[str] = []
    for part in value:
        if isinstance(part, Inherited):
            raise TypeError(f"{part.variable} of the image is not known outside of it")
        if isinstance(part, Site) and part.variable not in sites:
            return None
        written.append(escaped(part) if isinstance(part, str) else sites[part.variable])
    return "".join(written)


def escaped(text: str) -> str:
    """Keep the kubelet from expanding text: a dollar counts before a dollar, a parenthesis, another part."""
    return _EXPANDED.sub("$$", printable(text))
