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

_Place = tuple[int, int, int]
"""A rank's place in its groups of tp, pp and dp."""
_Key = Callable[[int, int, int], tuple[int, ...]]
_Groups = tuple[tuple[int, ...], ...]


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
    shape = (pool.deployment.engine == "vllm", sizes.tp, sizes.pp, sizes.dp)
    groups: dict[GroupKind, _Groups] = {
        **_plain_groups(*shape),
        "ep": _expert_groups(*shape, sizes.ep),
        "dcp": _context_groups(*shape, sizes.dcp),
    }
    return PoolLayout(pool, _ranks(*shape, pool.nodes), pool.world // pool.nodes, MappingProxyType(groups))


# A search over layouts asks for the same few again and again.
@lru_cache(maxsize=256)
def _places(dp_first: bool, tp: int, pp: int, dp: int) -> tuple[_Place, ...]:
    if dp_first:
        return tuple((t, p, d) for d in range(dp) for p in range(pp) for t in range(tp))
    return tuple((t, p, d) for p in range(pp) for d in range(dp) for t in range(tp))


@lru_cache(maxsize=256)
def _ranks(dp_first: bool, tp: int, pp: int, dp: int, nodes: int) -> tuple[Rank, ...]:
    share = tp * pp * dp // nodes
    return tuple(
        Rank(index, index // share, index % share, *place)
        for index, place in enumerate(_places(dp_first, tp, pp, dp))
    )


@lru_cache(maxsize=256)
def _plain_groups(dp_first: bool, tp: int, pp: int, dp: int) -> Mapping[GroupKind, _Groups]:
    places = _places(dp_first, tp, pp, dp)
    return {
        "tp": _group(places, lambda _t, p, d: (d, p)),
        "pp": _group(places, lambda t, _p, d: (d, t)),
        "dp": _group(places, lambda t, p, _d: (p, t)),
    }


@lru_cache(maxsize=1024)
def _context_groups(dp_first: bool, tp: int, pp: int, dp: int, dcp: int) -> _Groups:
    return _group(_places(dp_first, tp, pp, dp), lambda t, p, d: (d, p, t // dcp))


def _group(places: tuple[_Place, ...], key: _Key) -> _Groups:
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, place in enumerate(places):
        groups.setdefault(key(*place), []).append(index)
    return tuple(tuple(group) for group in groups.values())


@lru_cache(maxsize=1024)
def _expert_groups(dp_first: bool, tp: int, pp: int, dp: int, ep: int) -> _Groups:
    """Split each pipeline stage's ranks: neighbours that differ only within an expert belong together."""
    groups: list[tuple[int, ...]] = []
    for stage in _group(_places(dp_first, tp, pp, dp), lambda _t, p, _d: (p,)):
        # Experts are the slow index (expert rank = position // (stage / ep)): a group strides over the rest.
        within = max(1, len(stage) // ep)
        groups += [stage[offset::within] for offset in range(within)] if ep > 1 else [(r,) for r in stage]
    return tuple(groups)
