"""More host memory for KV offload than the hosts have.

## Why

The engine pins the memory at its start: what is not there cannot be pinned, and what the host needs itself is
ended by the kernel. The amount is one node's, shared by its ranks.

## Fix

Lower `offload.host_gib`; leave room for the engine's processes and the page cache.

## References

- vLLM 0.33.0 `vllm/v1/kv_offload/cpu/gpu_worker.py:203` (`pin_mmap_region`); SGLang 0.5.23
  `mem_cache/pool_host/base.py:253` (`Not enough host memory available`), `mem_cache/pool_host/common.py:178`
- launchplan's arithmetic; RAM from the cluster file's `host_memory_gib`, else from the preset
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.resolve import Deployment, ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule


@rule("MEM301", "offload-fits-host", severity=ERROR)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare a node's share with its RAM, where somebody says how much that is."""
    wanted = pool.offload.host_gib if pool.offload is not None else None
    have = _host_gib(pool.deployment)
    if wanted is None or have is None or wanted < have:
        return
    message = f"offload takes {wanted:g} GiB of each host's memory, a host has {have}"
    yield Violation(message, (*pool.offload_path, "host_gib"), f"use less than {have}")


def _host_gib(deployment: Deployment) -> int | None:
    cluster = deployment.cluster.value if deployment.cluster is not None else None
    if cluster is None or cluster.host_memory_gib is not None:
        return cluster.host_memory_gib if cluster is not None else None
    preset = catalog.cluster_preset(cluster.preset) if cluster.preset else None
    return preset.host_memory_gib if preset is not None else None
