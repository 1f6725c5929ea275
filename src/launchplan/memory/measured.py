"""What a log measured of a rank, in the place of an estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from launchplan.memory.terms import Interval, Term
from launchplan.units import GIB

if TYPE_CHECKING:
    from collections.abc import Iterable

    from launchplan.memory.terms import TermName


@dataclass(frozen=True, slots=True)
class Measured:
    """One term of a rank's budget as an engine's log printed it."""

    name: TermName
    gib: float
    step_gib: float
    """What the last printed digit is worth; half of it either way is not known."""
    source: str
    """The log that it was read from."""

    @property
    def bytes(self) -> Interval:
        """The figure, with ends that only rounding sets apart."""
        half = self.step_gib / 2
        return Interval(*(round(each * GIB) for each in (self.gib, self.gib - half, self.gib + half)))

    def term(self) -> Term:
        """Give the term that takes the estimate's place."""
        return Term(self.name, self.bytes, "measured", source=self.source)


def with_measured(terms: Iterable[Term], measured: Iterable[Measured]) -> tuple[Term, ...]:
    """Put what was measured in the place of what was estimated."""
    known = {each.name: each for each in measured}
    return tuple(known[term.name].term() if term.name in known else term for term in terms)
