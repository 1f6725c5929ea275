"""Addresses, interfaces and ports of the hosts: the cluster file's, or demands on the site."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from launchplan.engines.launch import Site, Value, join, text
from launchplan.layout import PoolLayout
from launchplan.recipe.cluster import Cluster, Node
from launchplan.resolve import Deployment, ResolvedPool

RENDEZVOUS_PORT = {"vllm": 29501, "sglang": 20000}
"""vLLM 0.33.0's default of `--master-port`; SGLang has none, 20000 is what its documentation uses."""
API_PORT = {"vllm": 8000, "sglang": 30000}
"""Defaults of `--port` in vLLM 0.33.0 and SGLang 0.5.23."""
BOOTSTRAP_PORT = 8998
"""Default of SGLang 0.5.23's `--disaggregation-bootstrap-port`."""
SIDE_CHANNEL_PORT = 5600
"""Default of vLLM 0.33.0's `VLLM_NIXL_SIDE_CHANNEL_PORT` (envs.py)."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance of a pool and the hosts that it starts on."""

    layout: PoolLayout
    index: int
    first_host: int

    @property
    def deployment(self) -> Deployment:
        """The deployment that the instance belongs to."""
        return self.layout.pool.deployment

    @property
    def nodes(self) -> range:
        """The indices of the instance's nodes; 0 is the head."""
        return range(self.layout.pool.nodes)

    @property
    def label(self) -> str:
        """Prefix of the instance's site variables: none for a single pool, `PREFILL_`, `PREFILL_1_`."""
        pool = self.layout.pool
        if pool.role == "serve":
            return ""
        number = f"{self.index}_" if pool.replicas > 1 else ""
        return f"{pool.role.upper()}_{number}"

    def host(self, node: int) -> Node | None:
        """Find the cluster file's host of a node."""
        hosts = self.deployment.hosts
        index = self.first_host + node
        return hosts[index] if index < len(hosts) else None

    def head_address(self) -> Value:
        """Give the address of node 0 as the other nodes reach it."""
        host = self.host(0)
        if host is not None:
            return text(bare_address(host))
        pool = self.layout.pool
        which = f"{pool.role} instance {self.index}, node 0" if pool.replicas > 1 else f"{pool.role} node 0"
        which = which if self.label else "node 0"
        return (Site(f"{self.label}HEAD_ADDR", f"address of {which}, as the other hosts reach it"),)

    def address(self, node: int) -> Value:
        """Give the address of one of the instance's nodes."""
        host = self.host(node)
        if node == 0:
            return self.head_address()
        return (
            text(bare_address(host))
            if host
            else (Site("NODE_ADDR", "address of this host, as the others reach it"),)
        )

    def public_address(self, node: int) -> Value:
        """Give a node's address as a process on another host names it."""
        if node == 0 or self.host(node) is not None:
            return self.address(node)
        role = self.layout.pool.role
        number = f" of instance {self.index}" if self.layout.pool.replicas > 1 else ""
        hint = f"address of {role} node {node}{number}, as the other hosts reach it"
        return (Site(f"{self.label}NODE_{node}_ADDR", hint),)

    def interface(self, node: int) -> Value:
        """Give the network interface that the rendezvous uses on a node."""
        cluster = cluster_of(self.deployment)
        host = self.host(node)
        name = (host.interface if host else None) or (cluster.network.interface if cluster else None)
        return text(name) if name else (Site("NODE_IFNAME", "network interface of this host, such as eth0"),)

    def fixed_address(self, node: int) -> str | None:
        """Give a node's address when the cluster file has it as an IP address."""
        host = self.host(node)
        if host is None:
            return None
        try:
            return str(ipaddress.ip_address(bare_address(host)))
        except ValueError:
            return None


def bare_address(host: Node) -> str:
    """Give a host's address without the brackets that an IPv6 address has beside a port."""
    return host.address.removeprefix("[").removesuffix("]")


def with_port(address: Value, port: int) -> Value:
    """Put a port behind an address; an IPv6 address gets its brackets."""
    if len(address) == 1 and isinstance(address[0], str) and ":" in address[0]:
        return text(f"[{address[0]}]:{port}")
    return join(address, f":{port}")


def cluster_of(deployment: Deployment) -> Cluster | None:
    """Return the typed cluster file, if there is one."""
    return deployment.cluster.value if deployment.cluster else None


def api_port(pool: ResolvedPool) -> int:
    """Give the port of a pool's API: the recipe's key, a raw `port` flag, else the engine's default."""
    raw = pool.args.get("port")
    given = raw if isinstance(raw, int) else int(raw) if isinstance(raw, str) and raw.isdecimal() else None
    return pool.serve.port or given or API_PORT[pool.deployment.engine]


def rendezvous_port(deployment: Deployment) -> int:
    """Give the port of the rendezvous: the cluster's, else the engine's default."""
    cluster = cluster_of(deployment)
    own = cluster.ports.rendezvous if cluster else None
    return own or RENDEZVOUS_PORT[deployment.engine]
