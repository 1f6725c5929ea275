"""The memory of a rank: the budget as one stacked bar, each term below it with its interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.memory.budget import Budget
from launchplan.memory.terms import Term
from launchplan.render.drawing.shapes import Drawing, Line, Rect, Shape, Text, text_width
from launchplan.units import GIB

_NAMES, _PLOT, _FIGURES = 100.0, 440.0, 250.0
_BAR, _ROW, _TOP = 34.0, 24.0, 8.0
_FONT = 12.0
_STEPS = (1, 2, 4, 5, 8, 10, 16, 20, 40, 50, 100, 200)
"""GiB between two marks of the scale."""
_MOST_MARKS = 8


@dataclass(frozen=True, slots=True)
class _Scale:
    total: int

    def x(self, count: float) -> float:
        """Place a number of bytes; what is beyond the ends stays at them."""
        return _NAMES + min(max(count / self.total, 0), 1) * _PLOT


def memory_bar(name: str, budget: Budget) -> Drawing:
    """Draw a budget."""
    scale = _Scale(budget.device.total_bytes)
    terms = (*budget.terms, budget.pool, budget.unused)
    shapes: list[Shape] = [*_bar(scale, terms)]
    for index, (term, start) in enumerate(_starts(terms)):
        shapes += _row(scale, term, start, _TOP + _BAR + 12 + index * _ROW)
    bottom = _TOP + _BAR + 12 + len(terms) * _ROW
    shapes += _axis(scale, bottom)
    told = "; ".join(f"{term.name} {figures(term)}" for term in terms)
    title = f"Memory of the fullest rank: {budget.device.total_bytes / GIB:.2f} GiB"
    return Drawing(name, _NAMES + _PLOT + _FIGURES, bottom + 24, title, told, tuple(shapes))


def figures(term: Term) -> str:
    """Print a term's size with its ends."""
    value, low, high = (each / GIB for each in (term.bytes.value, term.bytes.low, term.bytes.high))
    if low == high:
        return f"{value:.2f} GiB"
    return f"{value:.2f} GiB ({low:.2f} to {high:.2f})"


def _kind(term: Term) -> str:
    return "m-" + term.name.replace(" ", "-")


def _starts(terms: tuple[Term, ...]) -> Iterator[tuple[Term, int]]:
    seen = 0
    for term in terms:
        yield term, seen
        seen += max(term.bytes.value, 0)


def _bar(scale: _Scale, terms: tuple[Term, ...]) -> Iterator[Shape]:
    for term, start in _starts(terms):
        left, right = scale.x(start), scale.x(start + max(term.bytes.value, 0))
        if right - left < 0.1:
            continue
        yield Rect(left, _TOP, right - left, _BAR, _kind(term), 0, f"{term.name} {figures(term)}")
        if right - left > text_width(term.name, _FONT) + 8:
            yield Text((left + right) / 2, _TOP + 21, term.name, "on", "middle")


def _row(scale: _Scale, term: Term, start: int, top: float) -> Iterator[Shape]:
    """Draw a term from where those above it end, with a whisker over its interval."""
    middle = top + _ROW / 2
    left, right = scale.x(start), scale.x(start + max(term.bytes.value, 0))
    low, high = scale.x(start + term.bytes.low), scale.x(start + term.bytes.high)
    yield Text(_NAMES - 10, middle + 4, term.name, "label", "end")
    yield Rect(left, top + 5, max(right - left, 1), _ROW - 10, _kind(term))
    if term.bytes.low != term.bytes.high:
        yield Line(((low, middle), (high, middle)), "whisker")
        yield Line(((low, middle - 4), (low, middle + 4)), "whisker")
        yield Line(((high, middle - 4), (high, middle + 4)), "whisker")
    yield Text(_NAMES + _PLOT + 12, middle + 4, figures(term), "figure")


def _axis(scale: _Scale, y: float) -> Iterator[Shape]:
    total = scale.total / GIB
    step = next((each for each in _STEPS if total / each <= _MOST_MARKS), _STEPS[-1])
    yield Line(((_NAMES, y + 2), (_NAMES + _PLOT, y + 2)), "axis")
    for mark in range(0, int(total) + 1, step):
        x = scale.x(mark * GIB)
        yield Line(((x, y + 2), (x, y + 6)), "axis")
        yield Text(x, y + 19, f"{mark} GiB" if mark == 0 else str(mark), "tick", "middle")
