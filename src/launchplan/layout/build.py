"""Place the ranks of each pool on its nodes, as the engines do it.

vLLM 0.33.0 (`distributed/parallel_state.py:initialize_model_parallel`) orders ranks dp, pp, tp with tp the
fastest; SGLang 0.5.23 (`distributed/parallel_state.py`) orders them pp, dp, tp, attention data parallelism
being a split of its tensor parallel group. Both fill the nodes in rank order with equal shares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

from launchplan.layout.types import GroupKind, Layout, PoolLayout, Rank
from launchplan.resolve import Resolved, ResolvedPool

_Key = Callable[[Rank], tuple[int, ...]]
_Arrangement = tuple[tuple[Rank, ...], Mapping[GroupKind, tuple[tuple[int, ...], ...]]]


def place(resolved: Resolved) -> Layout | None:
    """Place every pool; None when one of them cannot be (a rule says why)."""
    if any(layout_problem(pool) for pool in resolved.pools):
        return None
    return Layout(resolved, tuple(_place_pool(pool) for pool in resolved.pools))


def layout_problem(pool: ResolvedPool) -> str | None:
    """Say what keeps a pool from being placed on its nodes, if anything does."""
    if pool.gpus_per_node is None or pool.gpus is None:
        return f"how many GPUs a node has is unknown for {pool.gpu_name}"
    if pool.world > pool.gpus:
        return f"{pool.world} ranks do not fit on {pool.gpus} GPUs"
    if pool.world % pool.nodes:
        return f"{pool.world} ranks do not split evenly over {pool.nodes} nodes"
    replica = pool.parallel.tp * pool.parallel.pp
    share = pool.world // pool.nodes
    if pool.deployment.engine == "vllm" and max(replica, share) % min(replica, share):
        return (
            f"a data parallel rank of {replica} GPUs and a node's share of {share} do not divide each other"
        )
    return None


def _place_pool(pool: ResolvedPool) -> PoolLayout:
    sizes = pool.parallel
    dp_first = pool.deployment.engine == "vllm"
    ranks, groups = _arrange(dp_first, pool.nodes, sizes.tp, sizes.pp, sizes.dp, sizes.ep, sizes.dcp)
    return PoolLayout(pool, ranks, pool.world // pool.nodes, groups)


@lru_cache(maxsize=1024)  # a search over layouts asks for the same few again and again
def _arrange(dp_first: bool, nodes: int, tp: int, pp: int, dp: int, ep: int, dcp: int) -> _Arrangement:
    share = tp * pp * dp // nodes
    ranks = []
    for index in range(tp * pp * dp):
        rest, t = divmod(index, tp)
        if dp_first:
            d, p = divmod(rest, pp)
        else:
            p, d = divmod(rest, dp)
        ranks.append(Rank(index, index // share, index % share, t, p, d))
    placed = tuple(ranks)
    groups: dict[GroupKind, tuple[tuple[int, ...], ...]] = {
        "tp": _group(placed, lambda r: (r.dp, r.pp)),
        "pp": _group(placed, lambda r: (r.dp, r.tp)),
        "dp": _group(placed, lambda r: (r.pp, r.tp)),
        "ep": _expert_groups(ep, placed),
        "dcp": _group(placed, lambda r: (r.dp, r.pp, r.tp // dcp)),
    }
    return placed, MappingProxyType(groups)


def _group(ranks: tuple[Rank, ...], key: _Key) -> tuple[tuple[int, ...], ...]:
    groups: dict[tuple[int, ...], list[int]] = {}
    for rank in ranks:
        groups.setdefault(key(rank), []).append(rank.index)
    return tuple(tuple(group) for group in groups.values())


def _expert_groups(ep: int, ranks: tuple[Rank, ...]) -> tuple[tuple[int, ...], ...]:
    """Split each pipeline stage's ranks: neighbours that differ only within an expert belong together."""
    groups: list[tuple[int, ...]] = []
    for stage in _group(ranks, lambda r: (r.pp,)):
        # Experts are the slow index (expert rank = position // (stage / ep)): a group strides over the rest.
        within = max(1, len(stage) // ep)
        groups += [stage[offset::within] for offset in range(within)] if ep > 1 else [(r,) for r in stage]
    return tuple(groups)
