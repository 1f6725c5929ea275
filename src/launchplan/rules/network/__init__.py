"""Rules about hosts and what connects them."""

from __future__ import annotations

from launchplan.rules.network import (
    enough_hosts,
    experts_need_rdma,
    experts_network_known,
    host_address_is_ip,
    hosts_differ,
    named_devices_known,
    pods_know_no_hosts,
    pods_reach_rdma,
    pods_serve_every_rank,
    pods_serve_outside,
    ports_differ,
    ray_hosts_agree,
    replicas_on_one_node,
    tp_within_domain,
)

RULES = (
    experts_need_rdma.check,
    tp_within_domain.check,
    enough_hosts.check,
    hosts_differ.check,
    replicas_on_one_node.check,
    experts_network_known.check,
    host_address_is_ip.check,
    ray_hosts_agree.check,
    pods_reach_rdma.check,
    pods_serve_outside.check,
    pods_serve_every_rank.check,
    pods_know_no_hosts.check,
    ports_differ.check,
    named_devices_known.check,
)
