"""A tensor parallel group reaches across the network.

## Why

Tensor parallelism exchanges activations twice a layer and waits for them. Within an NVLink domain that costs
little; between hosts even InfiniBand is many times slower, and each token pays it for every layer. It starts,
and disappoints. Sometimes it is the right choice all the same: the lowest latency for one user, or the only
way to fit.

A recipe with documented or verified evidence is not warned: somebody has seen what it gives.

## Fix

Keep `tp` within a node, or within the NVLink domain, and cross it with `pp` or with `dp` and `ep`.

## References

- launchplan's catalog: links and domains of the GPUs
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.layout import PoolLayout
from launchplan.resolve import ResolvedPool
from launchplan.rules.cures import working_tp
from launchplan.rules.given import evidenced
from launchplan.rules.network.said import network_said
from launchplan.rules.rule import WARNING, Violation, rule


@rule(
    "NET102",
    "tp-within-domain",
    severity=WARNING,
    source="links and domains of the GPUs in launchplan's catalog",
)
def check(layout: PoolLayout) -> Iterator[Violation]:
    """Look for a tensor parallel group that leaves its NVLink domain."""
    pool = layout.pool
    if layout.link("tp") != "network" or evidenced(pool.deployment):
        return
    nodes = max(len(layout.nodes_of(group)) for group in layout.groups["tp"])
    said = network_said(pool)
    over = f" over {said}: each layer waits for it" if said else ": each layer waits for their network"
    message = f"tp {pool.parallel.tp} reaches across {nodes} nodes{over}"
    yield Violation(message, pool.path("parallel", "tp"), _cure(pool, layout.ranks_per_node))


def _cure(pool: ResolvedPool, per_node: int) -> str:
    ranks = pool.parallel.tp * pool.parallel.pp
    sizes = [
        size for size in working_tp(pool) if size <= per_node and ranks % size == 0 and per_node % size == 0
    ]
    if not sizes:
        return f"keep tp within the {per_node} GPUs of a node"
    return f"tp {max(sizes)} x pp {ranks // max(sizes)} keeps it within a node"
