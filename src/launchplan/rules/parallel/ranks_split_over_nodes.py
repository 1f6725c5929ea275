"""The ranks do not fall evenly on the nodes.

## Why

Both engines start the same number of ranks on every node and fill the nodes in rank order. vLLM also needs a
data parallel rank to be a whole number of nodes, or several of them to fill one. SGLang checks only that
tp x pp divides by the nodes; where stages and nodes do not nest, some ranks are never started and the others
wait for them.

## Fix

Choose sizes whose product is a multiple of the number of nodes; keep a pipeline stage on whole nodes, or a
whole number of stages on each node.

## References

- vLLM 0.33.0 `vllm/engine/arg_utils.py:2407`
- SGLang 0.5.23 `arg_groups/validation_hook.py:179`, `entrypoints/engine.py:2045` (`_calculate_rank_ranges`)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.flags import raw_flags
from launchplan.resolve import ResolvedPool
from launchplan.rules.given import raw_count
from launchplan.rules.parallel.ranks_fit_gpus import product
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.widths import engine_tp, is_replicated


@rule(
    "PAR108",
    "ranks-split-over-nodes",
    severity=ERROR,
    source={
        "vllm": "vllm/engine/arg_utils.py:2407 (0.33.0)",
        "sglang": "sglang/srt/arg_groups/validation_hook.py:179, entrypoints/engine.py:2045 (0.5.23)",
    },
    at="config",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the ranks with the nodes."""
    if pool.nodes == 1 or raw_flags(pool).get("distributed_executor_backend") == "ray":
        return  # ray places ranks where it finds GPUs
    path = pool.path("parallel")
    world = pool.world * (raw_count(pool, "prefill_context_parallel_size") or 1)
    if world % pool.nodes:
        message = f"{world} ranks ({product(pool)}) do not split evenly over {pool.nodes} nodes"
        yield Violation(message, path, _even_cure(pool))
    elif pool.deployment.engine == "vllm":
        yield from _vllm(pool)
    elif not is_replicated(pool) and not covers(engine_tp(pool), pool.parallel.pp, pool.nodes):
        tp = engine_tp(pool)
        sizes = f"pp {pool.parallel.pp} and tp {tp}"
        message = f"sglang leaves ranks unstarted: {sizes} do not nest in {pool.nodes} nodes"
        fix = f"make pp a multiple of {pool.nodes}, or let the nodes be a multiple of pp that divides tp x pp"
        yield Violation(message, path, fix, at="run")


def _even_cure(pool: ResolvedPool) -> str:
    share = -(-pool.world // pool.nodes)
    if pool.gpus_per_node is not None and share <= pool.gpus_per_node:
        return f"use {share * pool.nodes} ranks, {share} a node, or another number of nodes"
    return "use a number of ranks that the nodes divide"


def _vllm(pool: ResolvedPool) -> Iterator[Violation]:
    replica, share = pool.replica, pool.world // pool.nodes
    if replica < pool.world and max(replica, share) % min(replica, share):
        message = (
            f"a data parallel rank takes {replica} GPUs, a node has {share} ranks: neither divides the other"
        )
        fix = f"use tp x pp that divides {share} or is a multiple of it"
        yield Violation(message, pool.path("parallel"), fix, "vllm/config/parallel.py:824 (0.33.0)", "worker")


def covers(tp: int, pp: int, nodes: int) -> bool:
    """Tell whether SGLang starts every rank once."""
    return pp % nodes == 0 or (nodes % pp == 0 and tp % (nodes // pp) == 0)
