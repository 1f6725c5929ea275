"""A document whose values know where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from launchplan.finding import KeyPath, Location


@dataclass(frozen=True, slots=True)
class Span:
    """Where a value and the key that leads to it begin; lines and columns count from 1."""

    value: tuple[int, int]
    key: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """JSON-like data, the place of each value, and each scalar as it was written."""

    data: Any
    file: str
    text: str = ""
    spans: Mapping[KeyPath, Span] = field(default_factory=dict)
    written: Mapping[KeyPath, str] = field(default_factory=dict)

    def locate(self, path: KeyPath, *, key: bool = False) -> Location:
        """Find the place of a path, or of its nearest ancestor that stands in the text.

        A value that was left out has no place of its own; its section has.
        """
        for end in range(len(path), -1, -1):
            span = self.spans.get(path[:end])
            if span is None:
                continue
            # An ancestor's key says more than the first character of its content.
            line, column = span.key if span.key and (key or end < len(path)) else span.value
            return Location(self.file, line, column)
        return Location(self.file)

    def line(self, number: int) -> str:
        """Return one line of the text without its end; lines count from 1."""
        lines = self.text.splitlines()
        return lines[number - 1] if 0 < number <= len(lines) else ""
