"""KV cache that the GPUs have no room for: HiCache in host memory, a Mooncake store behind it, or LMCache."""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.flags import flag, for_engine, raw_flag
from launchplan.engines.launch import Flag, Site, Variable, text
from launchplan.resolve import ResolvedPool
from launchplan.units import GIB

_GIGABYTE = 10**9


def offload_flags(pool: ResolvedPool) -> Iterator[Flag]:
    """Make the flags of the tiers behind the radix cache.

    `--hicache-size` counts 10^9 bytes of one rank (mem_cache/pool_host/base.py:223, 0.5.23); without it the
    host tier is a multiple of the device's.
    """
    wanted = pool.offload
    if wanted is None:
        return
    path = pool.offload_path
    if wanted.backend == "lmcache":
        yield Flag("--enable-lmcache", (), (*path, "backend"))
        return
    yield Flag("--enable-hierarchical-cache", (), (*path, "backend"))
    if wanted.host_gib is not None:
        size = int(wanted.host_gib * GIB * pool.nodes / pool.world / _GIGABYTE)
        yield flag("--hicache-size", max(1, size), (*path, "host_gib"))
    if wanted.backend == "mooncake":
        yield flag("--hicache-storage-backend", "mooncake", (*path, "backend"))
    for name, value in for_engine(wanted.options, "sglang").items():
        key = "hicache-" + name.replace("_", "-")
        made = raw_flag(key, value, pool.deployment.facts, (*path, "options", name))
        if made is not None:
            yield made


def offload_environment(pool: ResolvedPool) -> Iterator[Variable]:
    """Give the variables of LMCache, whose size is that of one GPU's worker, and of Mooncake's store.

    LMCache reads its own (documentation, "Configuring LMCache": `max_local_cpu_size` in GB); the store's are
    in environ.py:882 and mem_cache/storage/mooncake_store/mooncake_store.py:208 (0.5.23).
    """
    wanted = pool.offload
    if wanted is None or wanted.backend == "native":
        return
    if wanted.backend == "mooncake":
        yield Variable("MOONCAKE_MASTER", (Site("MOONCAKE_MASTER", "address:port of the Mooncake master"),))
    elif wanted.host_gib is not None:
        size = wanted.host_gib * pool.nodes / pool.world
        yield Variable("LMCACHE_MAX_LOCAL_CPU_SIZE", text(f"{size:g}"))
