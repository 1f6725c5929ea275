"""KV cache that travels from prefill to decode over a network without RDMA.

## Why

Every prompt's KV cache crosses from one pool to the other before its first token is decoded. Over TCP it goes
through the memory of both hosts and at the rate of their ordinary interface.

## Fix

Name the fabric that connects the pools, or serve without pools.

## References

- seen with vLLM 0.32.0 and NIXL 1.5.1: UCX takes TCP between hosts without an RDMA device
- SGLang 0.5.23 `distributed/device_communicators/mooncake_transfer_engine.py:208`: the protocol is `rdma`
  unless `MOONCAKE_PROTOCOL` says otherwise
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule


@rule("DIS105", "transfer-over-fabric", severity=WARNING)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look at what connects the pools."""
    if len(resolved.pools) != 2:
        return
    slow = next((pool for pool in resolved.pools if pool.fabric is not None and not pool.fabric.rdma), None)
    if slow is not None and slow.fabric is not None:
        message = f"the KV cache travels over {slow.fabric.id}, which has no RDMA"
        yield Violation(message, ("hardware", "fabric"), "connect the pools by RDMA")
