"""A rule's verdicts by what it saw, in the order of reading.

A rule looks at one thing, and by what it sees at the next, or it is done: one that is about drafts is done
with every layout that has none, whatever its sizes are. Its runs make a tree: each step is an attribute that
was read, each branch a value that was found there, and at the end of each path stands the verdict. What value
an attribute has on a layout is known from any run on a layout with the same facts (`fit.follows`), so that a
path can be followed without building a stage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from launchplan.fit.facts import FACTS, Mask

Values = tuple[object, ...]
"""The facts of a layout, in the order of `FACTS`."""
_PLAIN = (str, int, float, type(None))
"""Values of which two that are equal are the same to every rule."""


def key_of(mask: Mask) -> Callable[[Values], Any]:
    """Give the function that picks the facts of a set from a layout's values."""
    places = [index for index in range(len(FACTS)) if mask >> index & 1]
    return itemgetter(*places) if places else lambda _values: None


@dataclass(frozen=True, slots=True)
class Read:
    """An attribute that a rule read."""

    name: str
    """Which one: two stages have no name in common."""
    mask: Mask
    """The facts that it follows from."""
    value: object


class Attribute:
    """The values that an attribute was found to have."""

    __slots__ = ("_facts", "_found")

    def __init__(self, mask: Mask) -> None:
        self._facts = key_of(mask)
        self._found: dict[Any, object] = {}

    def of(self, values: Values) -> object:
        """Give what stands for its value on a layout; None where no run has told."""
        return self._found.get(self._facts(values))

    def keep(self, values: Values, found: object) -> object:
        """Keep its value on a layout, and give what stands for it: the facts, where it can't be compared."""
        facts = self._facts(values)
        return self._found.setdefault(facts, (type(found), found) if isinstance(found, _PLAIN) else (facts,))


class _Step:
    """What is read next, and where each of its values leads."""

    __slots__ = ("attribute", "branches")

    def __init__(self, attribute: Attribute) -> None:
        self.attribute = attribute
        self.branches: dict[object, _Step | bool] = {}


class Readings:
    """The verdicts of rules on the layouts of one question."""

    def __init__(self) -> None:
        """Start with rules that have not been run."""
        self._attributes: dict[str, Attribute] = {}
        self._first: dict[str, _Step | bool] = {}

    def find(self, rule: str, values: Values) -> bool | None:
        """Tell whether a rule refuses a layout; None when it has to be run to know."""
        step = self._first.get(rule)
        while isinstance(step, _Step):
            step = step.branches.get(step.attribute.of(values))
        return step

    def keep(self, rule: str, values: Values, reads: tuple[Read, ...], *, refuses: bool) -> None:
        """Keep the verdict on a layout, with what the rule read on its way to it."""
        branches: dict[Any, _Step | bool] = self._first
        at: object = rule
        for read in reads:
            attribute = self._attributes.setdefault(read.name, Attribute(read.mask))
            step = branches.setdefault(at, _Step(attribute))
            if not isinstance(step, _Step) or step.attribute is not attribute:
                raise TypeError(f"{rule} read {read.name} where it did something else on the same values")
            branches, at = step.branches, attribute.keep(values, read.value)
        branches[at] = refuses
