"""vLLM's command lines: `vllm serve` for the head, the same with `--headless` for followers."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from launchplan.engines.flags import (
    argument_flags,
    flag,
    for_engine,
    parser_of,
    raw_flags,
    scalar_text,
    serve_flags,
    site_flag,
)
from launchplan.engines.hosts import SIDE_CHANNEL_PORT, Instance, cluster_of
from launchplan.engines.launch import Flag, Value, Variable, text
from launchplan.engines.ray import OWN_ADDRESS, own_address
from launchplan.engines.vllm.transfer import offload_environment, transfer_flags
from launchplan.layout import PoolLayout
from launchplan.resolve import ResolvedPool

SERVE_FLAGS = {
    "max_model_len": "--max-model-len",
    "kv_cache_dtype": "--kv-cache-dtype",
    "dtype": "--dtype",
    "quantization": "--quantization",
    "gpu_memory_utilization": "--gpu-memory-utilization",
    "max_num_seqs": "--max-num-seqs",
    "max_num_batched_tokens": "--max-num-batched-tokens",
    "block_size": "--block-size",
    "load_format": "--load-format",
    "hf_overrides": "--hf-overrides",
    "served_model_name": "--served-model-name",
}
"""Recipe keys of `serve` whose value vLLM takes as it is."""
OTHER_SERVE_KEYS = (
    "prefix_caching",
    "trust_remote_code",
    "features",
    "tool_parser",
    "reasoning_parser",
    "host",
    "port",
)
"""Keys of `serve` that this module maps in code."""
LOCAL_CACHES = (("VLLM_CACHE_ROOT", "vllm"), ("FLASHINFER_WORKSPACE_BASE", "flashinfer"))
"""Caches of compiled kernels beside Triton's, and their folder (vllm/envs.py, flashinfer/jit/env.py)."""


def command(model: Value) -> tuple[Value, ...]:
    """Give the program and its positional argument."""
    return (text("vllm"), text("serve"), model)


def flags(instance: Instance, node: int) -> tuple[Flag, ...]:
    """Make the flags of one node of an instance; node 0 serves the API, the others are headless."""
    pool = instance.layout.pool
    rendezvous = tuple(_rendezvous(instance, node))
    served = api_servers(instance.layout, node) > 0
    return (
        *_parallel(pool),
        *rendezvous,
        *_settings(pool, served=served),
        *argument_flags(pool, 0 if served else node),
    )


def unplaced_flags(pool: ResolvedPool) -> tuple[Flag, ...]:
    """Make the flags that hold wherever the ranks come to sit."""
    spread = pool.nodes > 1 and not by_ray(pool)
    nodes = (flag("--nnodes", pool.nodes, pool.path("hardware", "nodes")),) if spread else _by_ray(pool)
    return (*_parallel(pool), *nodes, *_settings(pool), *argument_flags(pool))


def _settings(pool: ResolvedPool, *, served: bool = True) -> Iterator[Flag]:
    yield from serve_flags(pool, SERVE_FLAGS)
    yield from _switches(pool)
    yield from _endpoint(pool, served=served)
    yield from _speculative(pool)
    yield from transfer_flags(pool)


def _parallel(pool: ResolvedPool) -> Iterator[Flag]:
    parallel = pool.parallel
    for key, name in (
        ("tp", "--tensor-parallel-size"),
        ("pp", "--pipeline-parallel-size"),
        ("dp", "--data-parallel-size"),
        ("dcp", "--decode-context-parallel-size"),
    ):
        size = getattr(parallel, key)
        if size > 1:
            yield flag(name, size, pool.path("parallel", key))
    if parallel.ep > 1:
        yield Flag("--enable-expert-parallel", (), pool.path("parallel", "ep"))


def _rendezvous(instance: Instance, node: int) -> Iterator[Flag]:
    layout = instance.layout
    pool = layout.pool
    if pool.nodes == 1:
        if load_balancing(layout) == "external":
            yield from _balancing(layout, node)
        return
    path = pool.path("hardware", "nodes")
    if by_ray(pool):
        yield from _by_ray(pool)
        if pool.parallel.dp > 1 and layout.nodes_per_dp_rank == 1:
            yield flag("--data-parallel-size-local", layout.dp_ranks_per_node, path)
        return
    cluster = cluster_of(instance.deployment)
    if spans_nodes(layout):
        yield flag("--nnodes", pool.nodes, path)
        yield flag("--node-rank", node, path)
        yield site_flag("--master-addr", instance.head_address(), path)
        if cluster and cluster.ports.rendezvous:
            yield flag("--master-port", cluster.ports.rendezvous)
    else:
        yield from _balancing(layout, node)
        yield site_flag("--data-parallel-address", instance.head_address(), path)
        if cluster and cluster.ports.data_parallel_rpc:
            yield flag("--data-parallel-rpc-port", cluster.ports.data_parallel_rpc)
        if load_balancing(layout) == "hybrid" or (node and _is_counted(layout)):
            yield flag("--data-parallel-start-rank", node * layout.dp_ranks_per_node, path)
    if node and not api_servers(layout, node):
        yield Flag("--headless", (), path)


def by_ray(pool: ResolvedPool) -> bool:
    """Tell whether the recipe has Ray start the ranks of several nodes.

    The head alone runs vLLM then, without `--nnodes`, which vLLM refuses there (vllm/config/parallel.py:1104
    and vllm/engine/arg_utils.py:2391, 0.33.0). On one node vLLM starts Ray by itself.
    """
    given = raw_flags(pool)
    asked = "ray" in {given.get("distributed_executor_backend"), given.get("data_parallel_backend")}
    return pool.nodes > 1 and asked


def _by_ray(pool: ResolvedPool) -> tuple[Flag, ...]:
    """Have Ray place data parallel ranks, too: under vLLM's own backend they wait for each other for ever."""
    if not by_ray(pool) or pool.parallel.dp == 1 or "data_parallel_backend" in raw_flags(pool):
        return ()
    return (flag("--data-parallel-backend", "ray", pool.path("parallel", "dp")),)


def _balancing(layout: PoolLayout, node: int) -> Iterator[Flag]:
    """Say which ranks run here and who spreads requests over them (entrypoints/cli/serve.py:66, 0.33.0)."""
    pool, local = layout.pool, layout.dp_ranks_per_node
    path, mode = pool.path("hardware", "nodes"), load_balancing(layout)
    chosen = pool.path("parallel", "load_balancing")
    if not _is_counted(layout):
        yield flag("--data-parallel-rank", node, chosen)
        return
    yield flag("--data-parallel-size-local", local, path)
    if mode == "hybrid":
        yield Flag("--data-parallel-hybrid-lb", (), chosen)
    elif mode == "external":
        # A supervisor starts an API server for each rank of this node and gives it its GPUs.
        yield Flag("--data-parallel-multi-port-external-lb", (), chosen)


def _is_counted(layout: PoolLayout) -> bool:
    """Tell whether a node counts its ranks from a first one, and is not one rank itself."""
    return load_balancing(layout) != "external" or layout.dp_ranks_per_node > 1


def load_balancing(layout: PoolLayout) -> str:
    """Tell who spreads requests over the data parallel ranks, in what the flags can say.

    One node balances over all of its ranks anyway; a node with one rank is an external rank (vLLM 0.33.0,
    vllm/engine/arg_utils.py:2526). Ranks over several nodes leave it to the head.
    """
    asked = layout.pool.parallel.load_balancing or "internal"
    one_head = by_ray(layout.pool) or (asked == "hybrid" and layout.pool.nodes == 1)
    if spans_nodes(layout) or one_head:
        return "internal"
    return "external" if asked == "hybrid" and layout.dp_ranks_per_node == 1 else asked


def api_servers(layout: PoolLayout, node: int) -> int:
    """Count the API servers of a node, each on a port of its own; a headless node has none."""
    mode = load_balancing(layout)
    if mode == "external":
        return layout.dp_ranks_per_node
    return 1 if node == 0 or mode == "hybrid" else 0


def spans_nodes(layout: PoolLayout) -> bool:
    """Tell whether one data parallel rank needs several nodes, which is what `--nnodes` is for.

    Ranks that fit on a node are joined by the `--data-parallel-*` flags (vllm/engine/arg_utils.py, 0.33.0).
    """
    return layout.pool.parallel.dp == 1 or layout.nodes_per_dp_rank > 1


def _switches(pool: ResolvedPool) -> Iterator[Flag]:
    serve = pool.serve
    if serve.trust_remote_code:
        yield Flag("--trust-remote-code", (), pool.path("serve", "trust_remote_code"))
    if serve.prefix_caching is not None:
        name = "--enable-prefix-caching" if serve.prefix_caching else "--no-enable-prefix-caching"
        yield Flag(name, (), pool.path("serve", "prefix_caching"))
    tools, reasoning = parser_of(pool, "tools"), parser_of(pool, "reasoning")
    if tools:
        yield Flag("--enable-auto-tool-choice", (), pool.path("serve", "features"))
        yield flag("--tool-call-parser", tools, pool.path("serve", "features"))
    if reasoning:
        yield flag("--reasoning-parser", reasoning, pool.path("serve", "features"))


def _endpoint(pool: ResolvedPool, *, served: bool) -> Iterator[Flag]:
    serve = pool.serve
    if not served:
        return  # a headless follower has no API
    if serve.host:
        yield flag("--host", serve.host, pool.path("serve", "host"))
    if serve.port:
        yield flag("--port", serve.port, pool.path("serve", "port"))


def speculative_config(pool: ResolvedPool) -> dict[str, JsonValue] | None:
    """Build the value of `--speculative-config`."""
    wanted = pool.speculative
    if wanted is None:
        return None
    config: dict[str, JsonValue] = {} if wanted.model is None else {"model": wanted.model}
    config["method"] = wanted.method
    if wanted.tokens is not None:
        config["num_speculative_tokens"] = wanted.tokens
    return config | for_engine(wanted.options, "vllm")


def _speculative(pool: ResolvedPool) -> Iterator[Flag]:
    config = speculative_config(pool)
    if config is not None:
        yield flag("--speculative-config", scalar_text(config), pool.path("speculative"))


def environment(instance: Instance, node: int) -> Iterator[Variable]:
    """Give the variables that vLLM itself needs on one node."""
    pool = instance.layout.pool
    fixed = instance.fixed_address(node)
    address = own_address(instance, node) if by_ray(pool) else text(fixed) if fixed is not None else None
    if address is not None and pool.nodes > 1:
        yield Variable(OWN_ADDRESS, address)
    if by_ray(pool) and pool.parallel.dp > 1 and instance.layout.nodes_per_dp_rank > 1:
        # Else Ray looks for a host that holds a whole data parallel rank (vllm/v1/engine/utils.py:724).
        yield Variable("VLLM_RAY_DP_PACK_STRATEGY", text("span"))
    yield from offload_environment(pool)
    if pool.role == "serve":
        return
    # Left at `localhost`, every /health is 200 and the first request to the decode side fails.
    yield Variable("VLLM_NIXL_SIDE_CHANNEL_HOST", instance.address(node))
    cluster = cluster_of(instance.deployment)
    port = cluster.ports.kv_side_channel if cluster else None
    yield Variable("VLLM_NIXL_SIDE_CHANNEL_PORT", text(str(port or SIDE_CHANNEL_PORT)))
