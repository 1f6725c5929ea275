"""Ray over several hosts: a head beside the server, and a worker on each further host.

The server alone is given the engine's flags; its ranks become actors where Ray has GPUs. Each host offers as
many GPUs as it has ranks of the plan, for Ray fills a host before it takes the next one (vLLM 0.33.0
vllm/v1/executor/ray_utils.py:377, strategy PACK). The address that a host joins with is the one that vLLM
compares with its own (`VLLM_HOST_IP`, vllm/v1/engine/utils.py:167).
"""

from __future__ import annotations

from launchplan.engines.flags import flag, site_flag
from launchplan.engines.hosts import Instance, cluster_of, with_port
from launchplan.engines.launch import Flag, RayHead, Value, text
from launchplan.resolve import Deployment

RAY_PORT = 6379
"""Default of `ray start --port` (ray/_private/ray_constants.py, 2.60)."""
OWN_ADDRESS = "VLLM_HOST_IP"


def ray_port(deployment: Deployment) -> int:
    """Give the port of Ray's head: the cluster's, else Ray's default."""
    cluster = cluster_of(deployment)
    return (cluster.ports.ray if cluster else None) or RAY_PORT


def head_of(instance: Instance) -> RayHead:
    """Describe Ray's head on an instance's first host."""
    port = ray_port(instance.deployment)
    flags = (
        Flag("--head"),
        flag("--port", port, ("cluster", "ports", "ray")),
        *_host_flags(instance, 0),
        Flag("--disable-usage-stats"),
    )
    address = with_port(instance.head_address(), port)
    return RayHead(flags, address, len(instance.layout.ranks))


def worker_flags(instance: Instance, node: int) -> tuple[Flag, ...]:
    """Make the flags of a worker; it ends when the head is gone."""
    path = instance.layout.pool.path("hardware", "nodes")
    address = with_port(instance.head_address(), ray_port(instance.deployment))
    return (site_flag("--address", address, path), *_host_flags(instance, node), Flag("--block"))


def own_address(instance: Instance, node: int) -> Value | None:
    """Give the address that a host calls itself by; None for a name, which Ray resolves by itself."""
    if instance.host(node) is None:
        return instance.address(node)
    fixed = instance.fixed_address(node)
    return text(fixed) if fixed is not None else None


def _host_flags(instance: Instance, node: int) -> tuple[Flag, ...]:
    path = instance.layout.pool.path("hardware")
    address = own_address(instance, node)
    named = (site_flag("--node-ip-address", address, path),) if address is not None else ()
    return (*named, flag("--num-gpus", instance.layout.ranks_per_node, path))
