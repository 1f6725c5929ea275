"""KV cache that travels from prefill to decode over a network without RDMA.

## Why

Every prompt's KV cache crosses from one pool to the other before its first token is decoded. Over TCP that
takes tens of times as long as over RDMA, and copies through host memory on both sides.

## Fix

Name the fabric that connects the pools, or serve without pools.

## References

- vLLM 0.33.0 docs, NixlConnector: UCX takes TCP where it finds no RDMA device
- SGLang 0.5.23 `--disaggregation-transfer-backend`: mooncake and nixl are built on RDMA
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
