"""SGLang's command lines: `sglang serve` on every node, the same but for `--node-rank`."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from launchplan.engines.flags import (
    argument_flags,
    flag,
    for_engine,
    parser_of,
    raw_flag,
    raw_flags,
    serve_flags,
    site_flag,
)
from launchplan.engines.hosts import Instance, cluster_of, rendezvous_port, with_port
from launchplan.engines.launch import Flag, Value, Variable, text
from launchplan.engines.sglang.offload import offload_environment, offload_flags
from launchplan.layout import PoolLayout
from launchplan.resolve import ResolvedPool

SERVE_FLAGS = {
    "max_model_len": "--context-length",
    "dtype": "--dtype",
    "quantization": "--quantization",
    "mem_fraction_static": "--mem-fraction-static",
    "max_num_seqs": "--max-running-requests",
    "chunked_prefill_size": "--chunked-prefill-size",
    "block_size": "--page-size",
    "load_format": "--load-format",
    "hf_overrides": "--json-model-override-args",
    "served_model_name": "--served-model-name",
}
"""Recipe keys of `serve` whose value SGLang takes as it is."""
OTHER_SERVE_KEYS = (
    "kv_cache_dtype", "prefix_caching", "trust_remote_code", "features", "tool_parser", "reasoning_parser",
    "host", "port",
)  # fmt: skip
"""Keys of `serve` that this module maps in code."""
KV_CACHE_DTYPES = {"fp8": "fp8_e4m3"}
"""vLLM's short names; SGLang 0.5.23 has no plain `fp8` among its choices."""
ALGORITHMS = {"mtp": "NEXTN", "eagle": "EAGLE", "eagle3": "EAGLE3", "dspark": "DSPARK", "dflash": "DFLASH",
              "ngram": "NGRAM", "draft_model": "STANDALONE"}  # fmt: skip
"""`--speculative-algorithm` of the methods (arg_groups/speculative_hook.py, 0.5.23)."""
EAGLE_FAMILY = ("NEXTN", "EAGLE", "EAGLE3", "STANDALONE")
"""Algorithms that draft step by step and take steps, top-k and draft tokens together."""
LOCAL_CACHES = (("SGLANG_CACHE_DIR", "sglang"), ("FLASHINFER_WORKSPACE_BASE", "flashinfer"))
"""Caches of compiled kernels beside Triton's, and their folder."""


def api_servers(_layout: PoolLayout, node: int) -> int:
    """Count the API servers of a node; the first one answers for all."""
    return 1 if node == 0 else 0


def command(model: Value) -> tuple[Value, ...]:
    """Give the program; the model is a flag, the first one."""
    return (text("sglang"), text("serve"), text("--model-path"), model)


def flags(instance: Instance, node: int) -> tuple[Flag, ...]:
    """Make the flags of one node of an instance; only node 0 serves the API."""
    pool = instance.layout.pool
    rendezvous = tuple(_rendezvous(instance, node))
    return (*_parallel(pool), *rendezvous, *_settings(pool, node), *argument_flags(pool, node))


def unplaced_flags(pool: ResolvedPool) -> tuple[Flag, ...]:
    """Make the flags that hold wherever the ranks come to sit."""
    nodes: tuple[Flag, ...] = ()
    if pool.nodes > 1:
        path = pool.path("hardware", "nodes")
        # Which host is the first is not known yet; that there is one is.
        address = f"head:{rendezvous_port(pool.deployment)}"
        address_flag = (
            () if by_ray(pool) and not attention_dp(pool) else (flag("--dist-init-addr", address, path),)
        )
        nodes = (flag("--nnodes", pool.nodes, path), *address_flag)
    return (*_parallel(pool), *nodes, *_settings(pool, 0), *argument_flags(pool))


def _settings(pool: ResolvedPool, node: int) -> Iterator[Flag]:
    yield from serve_flags(pool, SERVE_FLAGS)
    yield from _switches(pool)
    yield from _endpoint(pool, node)
    yield from _speculative(pool)
    yield from _disaggregation(pool)
    yield from offload_flags(pool)


def attention_dp(pool: ResolvedPool) -> bool:
    """Tell whether data parallelism splits the attention of one model rather than making replicas.

    Experts shared across data parallel ranks are what SGLang calls attention data parallelism; a dense model
    has nothing to share (arg_groups/parallel_hook.py:handle_data_parallelism, 0.5.23).
    """
    if pool.parallel.dp == 1 or pool.parallel.attention_dp is False:
        return False
    return pool.parallel.ep > 1 or (pool.architecture is not None and pool.architecture.is_moe)


def engine_tp(pool: ResolvedPool) -> int:
    """Give `--tp-size`: SGLang counts the ranks of attention data parallelism in."""
    return pool.parallel.tp * (pool.parallel.dp if attention_dp(pool) else 1)


def _parallel(pool: ResolvedPool) -> Iterator[Flag]:
    parallel = pool.parallel
    size = engine_tp(pool)
    if size > 1:
        yield flag("--tp-size", size, pool.path("parallel", "tp"))
    if parallel.pp > 1:
        yield flag("--pp-size", parallel.pp, pool.path("parallel", "pp"))
    if parallel.dp > 1:
        path = pool.path("parallel", "dp")
        facts = pool.deployment.facts
        if not attention_dp(pool):
            yield flag("--dp-size", parallel.dp, path)
        elif facts is None or facts.find("--attn-dp-size"):
            yield flag("--attn-dp-size", parallel.dp, path)
        else:
            yield flag("--dp-size", parallel.dp, path)
            yield Flag("--enable-dp-attention", (), path)
    if parallel.ep > 1:
        yield flag("--ep-size", parallel.ep, pool.path("parallel", "ep"))
    if parallel.dcp > 1:
        yield flag("--dcp-size", parallel.dcp, pool.path("parallel", "dcp"))


def by_ray(pool: ResolvedPool) -> bool:
    """Tell whether the recipe has Ray start the ranks of several nodes.

    The first node alone runs SGLang then, which asks Ray for a share of each node and finds the address of
    the rendezvous by itself (srt/ray/engine.py:270-318, 0.5.23) unless its attention is data parallel
    (utils/network.py:616).
    """
    return pool.nodes > 1 and raw_flags(pool).get("use_ray") is True


def _rendezvous(instance: Instance, node: int) -> Iterator[Flag]:
    pool = instance.layout.pool
    if pool.nodes == 1:
        return
    path = pool.path("hardware", "nodes")
    yield flag("--nnodes", pool.nodes, path)
    if by_ray(pool) and not attention_dp(pool):
        return
    if not by_ray(pool):
        yield flag("--node-rank", node, path)
    address = with_port(instance.head_address(), rendezvous_port(instance.deployment))
    yield site_flag("--dist-init-addr", address, path)


def _switches(pool: ResolvedPool) -> Iterator[Flag]:
    serve = pool.serve
    if serve.kv_cache_dtype is not None:
        name = KV_CACHE_DTYPES.get(serve.kv_cache_dtype, serve.kv_cache_dtype)
        yield flag("--kv-cache-dtype", name, pool.path("serve", "kv_cache_dtype"))
    if serve.trust_remote_code:
        yield Flag("--trust-remote-code", (), pool.path("serve", "trust_remote_code"))
    if serve.prefix_caching is False:  # the radix cache is on by default
        yield Flag("--disable-radix-cache", (), pool.path("serve", "prefix_caching"))
    tools, reasoning = parser_of(pool, "tools"), parser_of(pool, "reasoning")
    if tools:
        yield flag("--tool-call-parser", tools, pool.path("serve", "features"))
    if reasoning:
        yield flag("--reasoning-parser", reasoning, pool.path("serve", "features"))


def _endpoint(pool: ResolvedPool, node: int) -> Iterator[Flag]:
    if node:
        return  # a follower answers /health alone, on loopback
    if pool.serve.host:
        yield flag("--host", pool.serve.host, pool.path("serve", "host"))
    elif pool.role != "serve":
        # The default is 127.0.0.1, where the router and the other pool can't reach it.
        yield flag("--host", "0.0.0.0")  # noqa: S104
    if pool.serve.port:
        yield flag("--port", pool.serve.port, pool.path("serve", "port"))


def speculative_options(pool: ResolvedPool) -> dict[str, JsonValue]:
    """Build the `--speculative-*` settings, keyed without that beginning."""
    wanted = pool.speculative
    if wanted is None:
        return {}
    algorithm = ALGORITHMS.get(wanted.method.lower(), wanted.method.upper())
    options: dict[str, JsonValue] = {"algorithm": algorithm}
    if wanted.model is not None:
        options["draft-model-path"] = wanted.model
    if wanted.tokens is not None and algorithm in EAGLE_FAMILY:
        options |= {"num-steps": wanted.tokens, "eagle-topk": 1, "num-draft-tokens": wanted.tokens + 1}
    elif wanted.tokens is not None:
        # The verified window holds the drafted tokens and the one before them.
        options["num-draft-tokens"] = wanted.tokens + 1
    given = for_engine(wanted.options, "sglang")
    return options | {name.replace("_", "-"): value for name, value in given.items()}


def _speculative(pool: ResolvedPool) -> Iterator[Flag]:
    for name, value in speculative_options(pool).items():
        made = raw_flag(f"speculative-{name}", value, pool.deployment.facts, pool.path("speculative"))
        if made is not None:
            yield made


def _disaggregation(pool: ResolvedPool) -> Iterator[Flag]:
    if pool.role == "serve":
        return
    wanted = pool.deployment.recipe.value.transfer
    yield flag("--disaggregation-mode", pool.role, ("pools", pool.role))
    yield flag(
        "--disaggregation-transfer-backend", wanted.backend if wanted else "nixl", ("transfer", "backend")
    )
    cluster = cluster_of(pool.deployment)
    if cluster and cluster.ports.bootstrap and pool.role == "prefill":
        yield flag("--disaggregation-bootstrap-port", cluster.ports.bootstrap)
    for name, value in (for_engine(wanted.options, "sglang") if wanted else {}).items():
        key = "disaggregation-" + name.replace("_", "-")
        made = raw_flag(key, value, pool.deployment.facts, ("transfer", "options", name))
        if made is not None:
            yield made


def environment(instance: Instance, node: int) -> Iterator[Variable]:
    """Give the variables that SGLang itself needs on one node."""
    address = instance.fixed_address(node)
    if address is not None and instance.layout.pool.nodes > 1:
        yield Variable("SGLANG_HOST_IP", text(address))
    yield from offload_environment(instance.layout.pool)
