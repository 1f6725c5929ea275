"""Drawings: each shape where its number says, and nothing that a strange plan could break."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from launchplan.engines import Launch
from launchplan.engines.budgets import pool_memory, request_curve
from launchplan.engines.build import head_views
from launchplan.memory.budget import Budget
from launchplan.memory.capacity import Concurrency, Count
from launchplan.memory.terms import Interval, Term
from launchplan.render.drawing import Drawing, Rect, Text, svg_text
from launchplan.render.drawing.curve import capacity_curve
from launchplan.render.drawing.memory import memory_bar
from launchplan.render.drawing.topology import Scene, group_kinds, topology
from launchplan.render.runbook.map import pool_maps
from tests.render.kit import CASES, case_launch, make_launch

GIB = 1024**3


def wide(nodes: int, **parallel: int) -> Launch:
    return make_launch(
        {
            "launchplan": 1,
            "name": "wide",
            "model": "nobody/knows",
            "engine": {"name": "vllm"},
            "hardware": {"gpu": "h200", "nodes": nodes, "gpus_per_node": 8},
            "parallel": parallel,
        }
    )


def kinds(drawing: Drawing) -> Counter[str]:
    return Counter(each.kind for each in drawing.shapes)


@pytest.mark.parametrize("case", CASES)
def test_every_rank_stands_in_its_groups(case: str) -> None:
    launch = case_launch(case)
    for layout, shown in zip(launch.layout.pools, pool_maps(launch), strict=True):
        texts = Counter(each.text for each in shown.drawing.shapes if isinstance(each, Text))
        assert all(texts[str(rank.index)] == 1 for rank in layout.ranks)
        for kind in group_kinds(layout):
            for index, group in enumerate(layout.groups[kind]):
                assert texts[f"{kind}{index}"] == len(group)


@pytest.mark.parametrize(
    ("launch", "link", "told"),
    [
        (wide(1, tp=8), [], ""),
        (
            wide(2, tp=8, pp=2),
            ["link-network"],
            "the network, which the recipe does not name, between the nodes: pp",
        ),
        (
            wide(2, tp=16),
            ["link-network"],
            "the network, which the recipe does not name, between the nodes: tp",
        ),
        (
            wide(2, tp=8, dp=2),
            ["link-network"],
            "the network, which the recipe does not name, between the nodes: dp",
        ),
    ],
)
def test_links_between_nodes_are_drawn_where_groups_cross_them(
    launch: Launch, link: list[str], told: str
) -> None:
    (layout,) = launch.layout.pools
    drawing = topology("map", Scene(layout, (), "NVLink", ""))
    assert [kind for kind in kinds(drawing) if kind.startswith("link-")] == link
    assert [told] == [
        each.text for each in drawing.shapes if isinstance(each, Text) and "between" in each.text
    ] or not told


def test_a_thousand_nodes_are_drawn_as_a_few() -> None:
    (layout,) = wide(1000, tp=8, dp=1000).layout.pools
    drawing = topology("map", Scene(layout, (), "NVLink", ""))
    assert kinds(drawing)["node"] == 16
    assert "and 984 more nodes, laid out like these" in {
        each.text for each in drawing.shapes if isinstance(each, Text)
    }
    assert len(svg_text(drawing)) < 100_000


def budget_of(case: str) -> Budget:
    launch = case_launch(case)
    return pool_memory(head_views(launch.layout.resolved, launch))[0].memory.budget


@pytest.mark.parametrize("case", ["two-nodes", "pools-sglang"])
def test_the_bar_is_the_memory_of_the_gpu(case: str) -> None:
    budget = budget_of(case)
    rects = [each for each in memory_bar("bar", budget).shapes if isinstance(each, Rect)]
    bar = [each for each in rects if each.y == rects[0].y]
    assert sum(each.width for each in bar) == pytest.approx(440, abs=1)
    by_kind = {each.kind: each.width for each in bar}
    for term in (*budget.terms, budget.pool):
        share = term.bytes.value / budget.device.total_bytes
        assert by_kind.get(f"m-{term.name.replace(' ', '-')}", 0) == pytest.approx(share * 440, abs=0.1)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-300 * GIB, 900 * GIB), min_size=3, max_size=3).map(sorted))
def test_no_pool_leaves_the_drawing(ends: list[int]) -> None:
    low, value, high = ends
    budget = replace(budget_of("two-nodes"), pool=Term("pool", Interval(value, low, high), "formula"))
    drawing = memory_bar("bar", budget)
    for shape in drawing.shapes:
        if isinstance(shape, Rect):
            assert shape.width >= 0
            assert 0 <= shape.x <= shape.x + shape.width <= drawing.width
    ET.fromstring(svg_text(drawing))  # noqa: S314 # our own text


def points(*requests: float) -> tuple[Concurrency, ...]:
    return tuple(
        Concurrency("", 1024 << index, Count(each, each / 2, each * 2), 1)
        for index, each in enumerate(requests)
    )


@pytest.mark.parametrize("found", [points(), points(3), points(3, 0), points(0, 0, 0)])
def test_nothing_is_drawn_where_nothing_fits(found: tuple[Concurrency, ...]) -> None:
    assert capacity_curve("curve", found, (), 5) is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(1e-3, 1e6), min_size=2, max_size=12), st.none() | st.integers(1, 10**6))
def test_the_curve_stays_in_its_frame(requests: list[float], wanted: int | None) -> None:
    found = points(*requests)
    drawing = capacity_curve("curve", found, found[-1:], wanted)
    assert drawing is not None
    for shape in drawing.shapes:
        for x, y in getattr(shape, "points", ()):
            assert 0 <= x <= drawing.width
            assert -0.1 <= y <= drawing.height


def test_the_curve_goes_through_what_the_capacity_says() -> None:
    launch = case_launch("two-nodes")
    (pool,) = pool_memory(head_views(launch.layout.resolved, launch))
    curve, capacity = request_curve(pool), pool.memory.capacity
    longest = capacity.of("max_model_len")
    assert longest is not None
    assert (curve[-1].tokens, curve[-1].requests) == (longest.tokens, longest.requests)
    assert [each.tokens for each in curve] == sorted({each.tokens for each in curve})
    assert all(a.requests.value >= b.requests.value for a, b in pairwise(curve))
