"""The capacity of a replica: requests that run at once against the length of each, both in powers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, log10

from launchplan.memory.capacity import Concurrency
from launchplan.render.drawing.shapes import Anchor, Drawing, Line, Polygon, Rect, Shape, Text

_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 150.0, 22.0, 46.0
_WIDTH, _HEIGHT = 560.0, 240.0


@dataclass(frozen=True, slots=True)
class _Axes:
    shortest: int
    longest: int
    bottom: int
    """The lowest power of ten."""
    top: int

    def x(self, tokens: float) -> float:
        """Place a length."""
        span = log10(self.longest / self.shortest) or 1
        return _LEFT + log10(tokens / self.shortest) / span * _WIDTH

    def y(self, requests: float) -> float:
        """Place a number of requests."""
        share = (log10(requests) - self.bottom) / (self.top - self.bottom)
        return _TOP + (1 - share) * _HEIGHT


def capacity_curve(
    name: str, points: tuple[Concurrency, ...], marks: tuple[Concurrency, ...], wanted: int | None
) -> Drawing | None:
    """Draw the curve with its interval; None where nothing fits, which has no logarithm.

    `marks` are the lengths that the recipe or the model names, `wanted` the requests of the workload.
    """
    counts = [end for each in points for end in (each.requests.low, each.requests.high)]
    if len(points) < 2 or min(counts) <= 0:
        return None
    ends = [*counts, wanted] if wanted is not None else counts
    bottom = floor(log10(min(ends)))
    axes = _Axes(points[0].tokens, points[-1].tokens, bottom, max(ceil(log10(max(ends))), bottom + 1))
    shapes = (*_frame(axes, points), *_band(axes, points), *_wanted(axes, wanted), *_marks(axes, marks))
    told = "; ".join(f"{each.tokens:,} tokens: {each.requests.value:,.1f} requests" for each in points)
    width, height = _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BOTTOM
    return Drawing(name, width, height, "Requests at once against tokens of each", told, shapes)


def _frame(axes: _Axes, points: tuple[Concurrency, ...]) -> Iterator[Shape]:
    for power in range(axes.bottom, axes.top + 1):
        y = axes.y(10**power)
        yield Line(((_LEFT, y), (_LEFT + _WIDTH, y)), "grid")
        yield Text(_LEFT - 8, y + 4, f"{10**power:,g}", "tick", "end")
    every = 2 if len(points) > 8 else 1
    for index, point in enumerate(points):
        x, last = axes.x(point.tokens), index == len(points) - 1
        yield Line(((x, _TOP + _HEIGHT), (x, _TOP + _HEIGHT + 4)), "axis")
        near = axes.x(points[-1].tokens) - x < 48
        if last or (index % every == 0 and not near):
            anchor: Anchor = "end" if last else "middle"
            yield Text(x, _TOP + _HEIGHT + 18, f"{point.tokens:,}", "tick", anchor)
    yield Line(((_LEFT, _TOP), (_LEFT, _TOP + _HEIGHT), (_LEFT + _WIDTH, _TOP + _HEIGHT)), "axis")
    yield Text(_LEFT, 12, "requests at once on one replica", "note")
    yield Text(_LEFT + _WIDTH, _TOP + _HEIGHT + 36, "tokens of one request, prompt and output", "note", "end")


def _band(axes: _Axes, points: tuple[Concurrency, ...]) -> Iterator[Shape]:
    upper = tuple((axes.x(each.tokens), axes.y(each.requests.high)) for each in points)
    lower = tuple((axes.x(each.tokens), axes.y(each.requests.low)) for each in reversed(points))
    yield Polygon((*upper, *lower), "band")
    yield Line(tuple((axes.x(each.tokens), axes.y(each.requests.value)) for each in points), "curve")


def _wanted(axes: _Axes, wanted: int | None) -> Iterator[Shape]:
    if wanted is None:
        return
    y = axes.y(wanted)
    yield Line(((_LEFT, y), (_LEFT + _WIDTH, y)), "wanted")
    yield Text(_LEFT + _WIDTH + 8, y + 4, f"workload: {wanted:,}", "label")


def _marks(axes: _Axes, marks: tuple[Concurrency, ...]) -> Iterator[Shape]:
    for mark in marks:
        x, y = axes.x(max(mark.tokens, axes.shortest)), axes.y(max(mark.requests.value, 10**axes.bottom))
        yield Rect(x - 3.5, y - 3.5, 7, 7, "mark", 3.5, f"{mark.name} {mark.tokens:,} tokens")
        if mark.tokens < axes.longest:
            yield Text(x + 8, y - 8, f"{mark.name}: {mark.requests.value:,.1f}", "label")
        else:
            yield Text(x + 8, y + 4, f"{mark.name}: {mark.requests.value:,.1f}", "label")
