"""A way of balancing load that this layout or engine does not have.

## Why

vLLM's head spreads requests over all data parallel ranks (`internal`), each node over its own (`hybrid`),
or a router over ranks with an API each (`external`). The latter two need several ranks, each within one
node, and external ones experts to share: dense replicas are servers of their own. Several external ranks
on one node need the supervisor of vLLM 0.24 and later, which gives each of them its GPUs. SGLang has none
of it: its head spreads requests, or its router does. Where Ray places the ranks, the head alone is a server.

## Fix

Leave `parallel.load_balancing` out, or lay the model out so that a data parallel rank fits on a node.

## References

- vLLM 0.33.0 `vllm/entrypoints/cli/serve.py:66-110`, `vllm/engine/arg_utils.py:2461`, `:2526`,
  `vllm/entrypoints/launchers/dp_supervisor.py:50-110`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import Launch
from launchplan.engines.vllm.build import by_ray, spans_nodes
from launchplan.layout import PoolLayout
from launchplan.rules.rule import ERROR, Violation, rule

SUPERVISOR = "--data-parallel-multi-port-external-lb"


@rule(
    "PAR218",
    "load-balancing-fits",
    severity=ERROR,
    source="vllm/entrypoints/cli/serve.py:66 (0.33.0)",
)
def check(launch: Launch) -> Iterator[Violation]:
    """Compare the wanted way with each pool's layout."""
    for layout in launch.layout.pools:
        mode = layout.pool.parallel.load_balancing
        problem = _problem(layout, mode) if mode in {"hybrid", "external"} else None
        if problem is not None:
            yield Violation(
                f"load_balancing {mode} {problem[0]}",
                layout.pool.path("parallel", "load_balancing"),
                problem[1],
            )


def _problem(layout: PoolLayout, mode: str | None) -> tuple[str, str] | None:
    pool, remove = layout.pool, "remove it"
    sizes, local = pool.parallel, layout.dp_ranks_per_node
    facts, model = pool.deployment.facts, pool.architecture
    if pool.deployment.engine != "vllm":
        return f"is vLLM's; {pool.deployment.engine} has no such flag", remove
    if sizes.dp == 1:
        return "has nothing to balance: dp is 1", "remove it, or raise dp"
    if by_ray(pool):
        return "needs a server on every node; Ray has one, on the head", remove
    if spans_nodes(layout):
        size = sizes.tp * sizes.pp
        return f"needs ranks that fit on a node; tp x pp = {size} spans {layout.nodes_per_dp_rank}", remove
    if mode == "external" and model is not None and not model.is_moe:
        return (
            "spreads requests over a dense model's replicas: nothing is shared",
            "start servers of their own",
        )
    if mode == "external" and local > 1 and facts is not None and not facts.find(SUPERVISOR):
        return (
            f"has {local} ranks on a node; vllm {pool.deployment.version} starts one a process",
            "use hybrid",
        )
    return None
