"""KV cache that leaves the GPUs: to the other pool, to host memory, to a store; one connector or several.

One `--kv-transfer-config` names one connector; a pool that hands its cache on and offloads it has both
behind a `MultiConnector` (kv_connector/factory.py, 0.33.0). `--kv-offloading-size` would take the place of
the one that hands on (vllm/config/vllm.py:_post_init_kv_transfer_config).
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from launchplan.engines.flags import flag, for_engine, scalar_text
from launchplan.engines.launch import Flag, Site, Variable, text
from launchplan.resolve import ResolvedPool
from launchplan.units import GIB

CONNECTORS = {"nixl": "NixlConnector", "mooncake": "MooncakeConnector"}
"""`kv_connector` names of vLLM 0.33.0 (kv_connector/factory.py)."""
ROLES = {"prefill": "kv_producer", "decode": "kv_consumer"}
OFFLOAD_CONNECTORS = {
    "native": "OffloadingConnector",
    "lmcache": "LMCacheConnectorV1",
    "mooncake": "MooncakeStoreConnector",
}


def transfer_flags(pool: ResolvedPool) -> Iterator[Flag]:
    """Make the flags that say where KV cache goes."""
    moved, kept = _transfer(pool), _offload(pool)
    if kept is None and moved is None:
        return
    if (
        moved is None
        and pool.offload is not None
        and pool.offload.backend == "native"
        and not pool.offload.options
    ):
        path = pool.offload_path
        yield flag("--kv-offloading-backend", "native", (*path, "backend"))
        if pool.offload.host_gib is not None:
            yield flag("--kv-offloading-size", _number(gib_of_rank(pool)), (*path, "host_gib"))
        return
    if moved is not None and kept is not None:
        both: dict[str, JsonValue] = {"connectors": [moved, kept]}
        moved = {
            "kv_connector": "MultiConnector",
            "kv_role": moved["kv_role"],
            "kv_connector_extra_config": both,
        }
    path = ("transfer",) if moved is not None else pool.offload_path
    yield flag("--kv-transfer-config", scalar_text(moved or kept), path)


def _transfer(pool: ResolvedPool) -> dict[str, JsonValue] | None:
    """Describe how the cache reaches the other pool."""
    if pool.role == "serve":
        return None
    wanted = pool.deployment.recipe.value.transfer
    backend = wanted.backend if wanted else "nixl"
    config: dict[str, JsonValue] = {"kv_connector": CONNECTORS[backend], "kv_role": ROLES[pool.role]}
    return config | (for_engine(wanted.options, "vllm") if wanted else {})


def _offload(pool: ResolvedPool) -> dict[str, JsonValue] | None:
    """Describe where cache goes that the GPUs have no room for."""
    wanted = pool.offload
    if wanted is None:
        return None
    extra: dict[str, JsonValue] = {}
    if wanted.backend == "native" and wanted.host_gib is not None:
        extra["cpu_bytes_to_use"] = int(gib_of_rank(pool) * GIB)
    extra |= for_engine(wanted.options, "vllm")
    config: dict[str, JsonValue] = {"kv_connector": OFFLOAD_CONNECTORS[wanted.backend], "kv_role": "kv_both"}
    return config | ({"kv_connector_extra_config": extra} if extra else {})


def gib_of_rank(pool: ResolvedPool) -> float:
    """Give the GiB of one data parallel rank, whose workers share them, from those of a node."""
    per_node = pool.offload.host_gib if pool.offload is not None else None
    return (per_node or 0) * pool.nodes / pool.parallel.dp


def offload_environment(pool: ResolvedPool) -> Iterator[Variable]:
    """Give the variables of LMCache, whose size is that of one GPU's worker, and of Mooncake's store.

    LMCache reads its own (documentation, "Configuring LMCache": `max_local_cpu_size` in GB); the store's is
    in vllm/distributed/mooncake_store.py:71 (0.33.0).
    """
    wanted = pool.offload
    if wanted is None or wanted.backend == "native":
        return
    # Blocks are found by their hashes, which have to be the same in every process.
    yield Variable("PYTHONHASHSEED", text("0"))
    if wanted.backend == "mooncake":
        hint = "file that says where the Mooncake store is"
        yield Variable("MOONCAKE_CONFIG_PATH", (Site("MOONCAKE_CONFIG_PATH", hint),))
        return
    yield Variable("LMCACHE_LOCAL_CPU", text("True"))
    if wanted.host_gib is not None:
        size = wanted.host_gib * pool.nodes / pool.world
        yield Variable("LMCACHE_MAX_LOCAL_CPU_SIZE", text(_number(size)))


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{int(value * 1000) / 1000:g}"
