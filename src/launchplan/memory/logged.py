"""What an engine's log says of its ranks, and how it compares with the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from launchplan.memory.budget import Engine
    from launchplan.memory.capacity import Count

Unit = Literal["GiB", "tokens", "blocks", "slots", "requests", "x", "s"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of a log."""

    value: float
    step: float
    """What its last printed digit is worth."""


@dataclass(frozen=True, slots=True)
class RankLog:
    """The figures that one process printed."""

    rank: str
    """`TP0`, `DP1 TP3`; empty for the process that speaks for all."""
    figures: Mapping[str, Figure]
    """By name; the last part of a name is the unit (`weights_gib`)."""


@dataclass(frozen=True, slots=True)
class EngineLog:
    """The last start of an engine that a log holds."""

    engine: Engine
    version: str | None
    ranks: tuple[RankLog, ...]
    starts: int = 1
    """How many starts the log holds."""

    def all(self, name: str) -> dict[str, Figure]:
        """Give a figure of every rank that printed it."""
        return {each.rank: each.figures[name] for each in self.ranks if name in each.figures}

    def most(self, name: str) -> Figure | None:
        """Give the largest value of a figure over the ranks."""
        return max(self.all(name).values(), key=lambda each: each.value, default=None)

    def least(self, name: str) -> Figure | None:
        """Give the smallest value of a figure over the ranks."""
        return min(self.all(name).values(), key=lambda each: each.value, default=None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure as it was planned, and as the log has it."""

    name: str
    unit: Unit
    measured: float
    """Of the fullest rank: the most of what is held, the least of what is left."""
    step: float
    least: float
    """Over all ranks."""
    most: float
    ranks: int
    """How many ranks printed it."""
    planned: Count | None = None
    """None where the plan has no such figure."""

    @property
    def difference(self) -> float | None:
        """Planned over measured, minus one."""
        if self.planned is None or not self.measured:
            return None
        return self.planned.value / self.measured - 1

    @property
    def inside(self) -> bool | None:
        """Whether the measured figure lies in the plan's interval, as far as its digits say."""
        if self.planned is None:
            return None
        slack = self.step / 2
        return self.planned.low - slack <= self.measured <= self.planned.high + slack
