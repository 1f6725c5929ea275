"""Read a config mapping without trusting it: a value of the wrong type is as good as absent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launchplan.architecture.types import Scalar

_MAX_INT = 2**63 - 1
_DEPTH = 8
_EMPTY: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Fields:
    """A view of a mapping that gives out values of the asked type only."""

    raw: Mapping[str, object]

    def __contains__(self, name: str) -> bool:
        return self.raw.get(name) is not None

    def count(self, *names: str) -> int | None:
        """Give the first of these keys that holds an integer of zero or more."""
        for name in names:
            value = self.raw.get(name)
            if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_INT:
                return value
        return None

    def positive(self, *names: str) -> int | None:
        """Give the first of these keys that holds an integer above zero."""
        for name in names:
            value = self.count(name)
            if value:
                return value
        return None

    def uniform(self, *names: str) -> int | None:
        """Give the first of these keys that holds an integer above zero, or a list of one such integer."""
        for name in names:
            values = self.ints(name)
            value = values[0] if values and len(set(values)) == 1 else self.positive(name)
            if value is not None and value > 0:
                return value
        return None

    def number(self, *names: str) -> float | None:
        """Give the first of these keys that holds a finite number."""
        for name in names:
            value = self.raw.get(name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            if abs(value) <= _MAX_INT and math.isfinite(value):
                return float(value)
        return None

    def text(self, *names: str) -> str | None:
        """Give the first of these keys that holds a non-empty string."""
        for name in names:
            value = self.raw.get(name)
            if isinstance(value, str) and value:
                return value
        return None

    def flag(self, *names: str) -> bool | None:
        """Give the first of these keys that holds true or false."""
        for name in names:
            value = self.raw.get(name)
            if isinstance(value, bool):
                return value
        return None

    def child(self, *names: str) -> Fields:
        """Give the first of these keys that holds a mapping, or an empty one."""
        for name in names:
            value = self.raw.get(name)
            if isinstance(value, Mapping):
                return Fields(value)
        return Fields(_EMPTY)

    def children(self, name: str) -> tuple[Fields, ...] | None:
        """Give a list of mappings, or None when it is not one."""
        value = self.raw.get(name)
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return None
        if not all(isinstance(item, Mapping) for item in value):
            return None
        return tuple(Fields(item) for item in value)

    def ints(self, name: str) -> tuple[int, ...] | None:
        """Give a list of integers, or None when any item is not one."""
        value = self.raw.get(name)
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return None
        items = tuple(item for item in value if isinstance(item, int) and not isinstance(item, bool))
        return items if len(items) == len(value) else None

    def texts(self, name: str) -> tuple[str, ...] | None:
        """Give a list of strings, or None when any item is not one."""
        value = self.raw.get(name)
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return None
        items = tuple(item for item in value if isinstance(item, str))
        return items if len(items) == len(value) else None


def scalars(raw: Mapping[str, object], prefix: str = "") -> dict[str, Scalar]:
    """Flatten the scalars of a mapping; the keys of nested mappings are joined by dots."""
    found: dict[str, Scalar] = {}
    for name, value in raw.items():
        if isinstance(value, Mapping):
            if prefix.count(".") < _DEPTH:
                found |= scalars(value, f"{prefix}{name}.")
        elif value is None or isinstance(value, int | float | str):
            found[f"{prefix}{name}"] = value
    return found


def lists(raw: Mapping[str, object], prefix: str = "") -> dict[str, tuple[Scalar, ...]]:
    """Flatten the lists of scalars of a mapping; a list of mappings becomes one list a key."""
    found: dict[str, tuple[Scalar, ...]] = {}
    for name, value in raw.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping):
            if prefix.count(".") < _DEPTH:
                found |= lists(value, f"{path}.")
        elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
            found |= _columns(path, value)
    return found


def _columns(path: str, items: Sequence[object]) -> dict[str, tuple[Scalar, ...]]:
    if all(item is None or isinstance(item, int | float | str) for item in items):
        return {path: tuple(item for item in items if item is None or isinstance(item, int | float | str))}
    rows = [scalars(item) for item in items if isinstance(item, Mapping)]
    if len(rows) != len(items):
        return {}
    names = sorted({name for row in rows for name in row})
    return {f"{path}.{name}": tuple(row.get(name) for row in rows) for name in names}
