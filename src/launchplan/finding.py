"""A finding: what is wrong or worth knowing, where, and the smallest cure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

KeyPath = tuple[str | int, ...]
"""Keys and indices that lead from a document's root to a value: `("pools", "decode", "parallel", "tp")`."""


class Severity(IntEnum):
    """How much a finding matters; a larger number is worse."""

    INFO = 1
    """Worth knowing."""
    WARNING = 2
    """It starts, and disappoints."""
    ERROR = 3
    """This engine version refuses it, or it cannot work."""

    @property
    def word(self) -> str:
        """The name as reports print it."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file; line and column count from 1, as editors do."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        """Print the `file:line:col` form that editors jump to."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check, complete for any report format."""

    code: str
    name: str
    severity: Severity
    message: str
    path: KeyPath = ()
    location: Location | None = None
    fix: str | None = None
    engine: str | None = None
    """The engine and version that the finding was made for, where it depends on them: `vllm 0.33.0`."""
    source: str | None = None
    """What enforces it: a place in the engine's source, a document, a log."""
    at: str | None = None
    """How far the launch comes: `parse`, `config`, `worker`, `memory` or `run`; None for unreadable input."""
    quotable: bool = True
    """Whether a report may show the line that it is about."""

    @property
    def key(self) -> str:
        """The path as people write it: `pools.decode.parallel.tp`."""
        return dotted(self.path)


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Order findings as every report does, each once: worst first, then in the order of the file."""
    return tuple(sorted(dict.fromkeys(findings), key=_order))


def _order(finding: Finding) -> tuple[int, str, int, int, str]:
    place = finding.location
    file, line, column = (place.file, place.line or 0, place.column or 0) if place else ("", 0, 0)
    return -finding.severity, file, line, column, finding.code


def dotted(path: KeyPath) -> str:
    """Write a key path as `pools.decode.args[2]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text
