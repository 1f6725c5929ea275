"""A term of a rank's budget: bytes with the interval that they lie in, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from launchplan.units import GIB

if TYPE_CHECKING:
    from launchplan.catalog.calibration import Spread

Origin = Literal["exact", "formula", "calibrated", "measured"]
TermName = Literal["driver", "weights", "activations", "cuda graphs", "non-torch", "pool", "unused"]


@dataclass(frozen=True, slots=True)
class Interval:
    """Bytes, and the ends that hold for nearly all logs."""

    value: int
    low: int
    high: int

    def __add__(self, other: Interval) -> Interval:
        """Add two figures end by end: errors of one launch go together, so they are not averaged out."""
        return Interval(self.value + other.value, self.low + other.low, self.high + other.high)

    def taken_from(self, total: int) -> Interval:
        """Give what is left of a total."""
        return Interval(total - self.value, total - self.high, total - self.low)

    @classmethod
    def exactly(cls, value: int) -> Interval:
        """Make a figure without a spread."""
        return cls(value, value, value)


NOTHING = Interval.exactly(0)


@dataclass(frozen=True, slots=True)
class Term:
    """One class of bytes on the rank."""

    name: TermName
    bytes: Interval
    origin: Origin
    logs: int = 0
    """Logs that a calibrated term rests on."""
    source: str = ""
    """The log of a measured term."""

    @property
    def origin_text(self) -> str:
        """The origin as reports print it: `calibrated on 6 logs`."""
        if self.origin == "measured":
            return f"measured, {self.source}"
        return f"calibrated on {self.logs} logs" if self.origin == "calibrated" else self.origin


def scaled(spread: Spread, count: float) -> Interval:
    """Multiply a calibrated figure by a number of bytes."""
    return Interval(round(spread.value * count), round(spread.low * count), round(spread.high * count))


def gib(spread: Spread, times: float = 1) -> Interval:
    """Turn a calibrated figure in GiB into bytes."""
    return scaled(spread, GIB * times)


def total(terms: Iterable[Interval]) -> Interval:
    """Add figures end by end."""
    value = low = high = 0
    for term in terms:
        value, low, high = value + term.value, low + term.low, high + term.high
    return Interval(value, low, high)
