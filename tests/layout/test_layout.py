"""Ranks fill the nodes in the engines' order, and groups know what they cross."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launchplan.layout import PoolLayout, layout_problem, place
from launchplan.recipe import load_recipe
from launchplan.resolve import Resolved, resolve

SIZES = ("tp", "pp", "dp", "ep", "dcp")


def resolved(hardware: dict[str, Any], parallel: dict[str, int], engine: str = "vllm") -> Resolved:
    recipe = {
        "launchplan": 1,
        "name": "case",
        "model": "Qwen/Qwen3-235B-A22B",
        "engine": {"name": engine},
        "hardware": hardware,
        "parallel": parallel,
    }
    return resolve(load_recipe(recipe))


def placed(hardware: dict[str, Any], parallel: dict[str, int], engine: str = "vllm") -> PoolLayout:
    layout = place(resolved(hardware, parallel, engine))
    assert layout is not None
    return layout.pools[0]


def test_vllm_orders_dp_pp_tp() -> None:
    layout = placed({"gpu": "h200", "nodes": 2, "gpus_per_node": 4}, {"tp": 2, "pp": 2, "dp": 2})
    assert [(r.index, r.node, r.gpu, r.dp, r.pp, r.tp) for r in layout.ranks] == [
        (0, 0, 0, 0, 0, 0), (1, 0, 1, 0, 0, 1), (2, 0, 2, 0, 1, 0), (3, 0, 3, 0, 1, 1),
        (4, 1, 0, 1, 0, 0), (5, 1, 1, 1, 0, 1), (6, 1, 2, 1, 1, 0), (7, 1, 3, 1, 1, 1),
    ]  # fmt: skip
    assert layout.groups["tp"] == ((0, 1), (2, 3), (4, 5), (6, 7))
    assert layout.groups["pp"] == ((0, 2), (1, 3), (4, 6), (5, 7))
    assert layout.groups["dp"] == ((0, 4), (1, 5), (2, 6), (3, 7))


def test_sglang_orders_pp_dp_tp() -> None:
    layout = placed({"gpu": "h200", "nodes": 2, "gpus_per_node": 4}, {"tp": 2, "pp": 2, "dp": 2}, "sglang")
    assert [(r.node, r.pp, r.dp, r.tp) for r in layout.ranks] == [
        (0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 0), (0, 0, 1, 1), (1, 1, 0, 0), (1, 1, 0, 1), (1, 1, 1, 0), (1, 1, 1, 1),
    ]  # fmt: skip


def test_experts_and_context_parallel_groups() -> None:
    layout = placed({"gpu": "h200"}, {"tp": 4, "dp": 2, "ep": 8, "dcp": 2})
    assert layout.groups["ep"] == (tuple(range(8)),)
    assert layout.groups["dcp"] == ((0, 1), (2, 3), (4, 5), (6, 7))
    assert placed({"gpu": "h200"}, {"tp": 8, "ep": 4}, "sglang").groups["ep"] == ((0, 2, 4, 6), (1, 3, 5, 7))


@pytest.mark.parametrize(
    ("hardware", "parallel", "expected"),
    [
        ({"gpu": "h200"}, {"tp": 8}, {"tp": "node", "pp": "none", "dp": "none", "ep": "none", "dcp": "none"}),
        ({"gpu": "h200", "nodes": 2}, {"tp": 8, "pp": 2},
         {"tp": "node", "pp": "network", "dp": "none", "ep": "none", "dcp": "none"}),
        ({"gpu": "h200", "nodes": 2}, {"tp": 16, "dcp": 4},
         {"tp": "network", "pp": "none", "dp": "none", "ep": "none", "dcp": "node"}),
        ({"gpu": "gb300", "nodes": 4}, {"tp": 16}, {"tp": "domain", "pp": "none", "dp": "none", "ep": "none", "dcp": "none"}),
        ({"gpu": "gb300", "nodes": 4, "fabric": "infiniband"}, {"tp": 16},
         {"tp": "network", "pp": "none", "dp": "none", "ep": "none", "dcp": "none"}),
        ({"gpu": "gb300", "nodes": 20}, {"tp": 16, "pp": 5},
         {"tp": "network", "pp": "network", "dp": "none", "ep": "none", "dcp": "none"}),
    ],
    ids=["one host", "stages over hosts", "tp over hosts", "NVLink domain", "no NVLink domain", "larger than the domain"],
)  # fmt: skip
def test_links(hardware: dict[str, Any], parallel: dict[str, int], expected: dict[str, str]) -> None:
    layout = placed(hardware, parallel)
    assert {kind: layout.link(kind) for kind in layout.groups} == expected


@pytest.mark.parametrize(
    ("hardware", "parallel", "problem"),
    [
        ({"gpu": "h300"}, {}, "how many GPUs a node has is unknown for h300"),
        ({"gpu": "h200"}, {"tp": 16}, "16 ranks do not fit on 8 GPUs"),
        ({"gpu": "h200", "nodes": 3}, {"tp": 8}, "8 ranks do not split evenly over 3 nodes"),
        ({"gpu": "h200", "nodes": 3}, {"tp": 12, "dp": 2},
         None),
        ({"gpu": "h200", "nodes": 2}, {"tp": 4, "dp": 3},
         "a data parallel rank of 4 GPUs and a node's share of 6 do not divide each other"),
    ],
    ids=["unknown host", "too many", "uneven", "rank of one and a half nodes", "node of one and a half ranks"],
)  # fmt: skip
def test_what_cannot_be_placed(
    hardware: dict[str, Any], parallel: dict[str, int], problem: str | None
) -> None:
    expected = problem or "a data parallel rank of 12 GPUs and a node's share of 8 do not divide each other"
    case = resolved(hardware, parallel)
    assert layout_problem(case.pools[0]) == expected
    assert place(case) is None


@given(
    st.sampled_from(["vllm", "sglang"]),
    st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 3]), st.sampled_from([1, 2, 4]), st.sampled_from([1, 2, 4]),
)  # fmt: skip
def test_groups_partition_the_ranks(engine: str, tp: int, pp: int, dp: int, nodes: int) -> None:
    parallel = {"tp": tp, "pp": pp, "dp": dp, "ep": tp * dp, "dcp": 1}
    case = resolved({"gpu": "h200", "nodes": nodes, "gpus_per_node": 64}, parallel, engine)
    layout = place(case)
    if layout is None:
        assert layout_problem(case.pools[0])
        return
    (pool,) = layout.pools
    world = tp * pp * dp
    for kind in SIZES:
        groups = pool.groups[kind]  # type: ignore[index] # the literal kinds
        assert sorted(index for group in groups for index in group) == list(range(world))
        assert {len(group) for group in groups} == {parallel[kind]}
    assert set(Counter(rank.node for rank in pool.ranks).values()) == {world // nodes}
    assert len({(rank.node, rank.gpu) for rank in pool.ranks}) == world
