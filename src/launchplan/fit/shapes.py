"""Layouts without their GPU, with what is the same of them on every one; and the best of many on one GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from launchplan.catalog import Gpu
from launchplan.fit.candidate import Candidate
from launchplan.fit.estimate import Estimate
from launchplan.fit.readings import Values

_TRIES = 3
"""Layouts of one goal that are computed exactly for a number of GPUs, each of another kind."""
Goal = Callable[["Running"], tuple[float, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A number of hosts and the parallel sizes on them."""

    layout: Candidate
    """On any of the GPUs that are searched together."""
    values: Values
    """Its facts on that GPU."""
    replicas: int
    """How often the pool of a rank counts: dp x pp."""
    request_bytes: float
    pace: float
    plain: tuple[float, ...]
    """Larger for fewer settings: experts whole where replicas share them."""
    kind: tuple[object, ...]
    """A second layout of the same kind would fail as the first did."""

    def on(self, gpu: Gpu) -> Candidate:
        """Give the layout on a GPU."""
        return replace(self.layout, gpu=gpu)

    def requests(self, left_bytes: float) -> float:
        """Give the requests of the usual length that all replicas hold, from what weights leave of a rank."""
        return self.replicas * max(0.0, left_bytes) / self.request_bytes


def shape_of(layout: Candidate, values: Values, estimate: Estimate) -> Shape:
    """Compute what is the same of a layout on every GPU."""
    plain = (
        float((layout.ep > 1) == (layout.dp > 1)), -float(layout.pp), -float(layout.dcp),
        float(layout.kv is None),
    )  # fmt: skip
    return Shape(
        layout,
        values,
        layout.dp * layout.pp,
        estimate.request_bytes(layout),
        estimate.pace(layout),
        plain,
        (layout.kv, layout.dp > 1, layout.dcp > 1, layout.pp > 1),
    )


class Running(NamedTuple):
    """A shape on a GPU that its rules let run there."""

    shape: Shape
    requests: float
    far: bool
    """Whether its tensor parallel ranks reach beyond what NVLink joins."""


def fast(wanted: int) -> Goal:
    """Order by the speed of one request, among layouts that hold so many of them."""

    def goal(each: Running) -> tuple[float, ...]:
        return min(each.requests / wanted, 1.0), -each.far, each.shape.pace, *each.shape.plain

    return goal


def wide(each: Running) -> tuple[float, ...]:
    """Order by the requests that are held."""
    return -each.far, each.requests, *each.shape.plain


def best_of_each_kind(running: Iterable[Running], goal: Goal) -> Iterator[Shape]:
    """Give the best layout of each kind, best first; of equals the one that comes first."""
    best: dict[tuple[object, ...], tuple[tuple[float, ...], int, Shape]] = {}
    for index, each in enumerate(running):
        kind, figure = (each.far, *each.shape.kind), goal(each)
        if kind not in best or figure > best[kind][0]:
            best[kind] = (figure, -index, each.shape)
    ranked = sorted(best.values(), key=lambda found: found[:2], reverse=True)
    return (shape for _, _, shape in ranked[:_TRIES])
