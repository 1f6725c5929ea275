"""What a search through one file brings together."""

from __future__ import annotations

from dataclasses import dataclass, field

from launchplan.finding import Finding
from launchplan.lint.found import Launch, Surroundings
from launchplan.lint.problems import Note
from launchplan.lint.shell import Token
from launchplan.lint.text import SourceFile

MAX_DEPTH = 8
"""Scripts in scripts in documents; more are a mistake, or somebody's joke."""


@dataclass(slots=True)
class Search:
    """Launches found so far, and what is wrong with the file beside them."""

    file: SourceFile
    engine: str | None = None
    """The engine that an image starts which nobody knows."""
    around: Surroundings = field(default_factory=Surroundings)
    launches: list[Launch] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    unreadable: list[Finding] = field(default_factory=list)
    """Parts of the file that could not be read as what they should be."""
    rays: list[tuple[Token, tuple[str, ...], dict[str, Token]]] = field(default_factory=list)
    """`ray start` commands with their words and environment."""
    services: list[tuple[str, int]] = field(default_factory=list)
    """Names of Kubernetes Services and where they stand."""
    depth: int = 0

    def note(
        self, code: str, message: str, start: int, fix: str | None = None, source: str | None = None
    ) -> None:
        """Keep a finding about the file itself."""
        self.notes.append(Note(code, message, start, fix, source))

    def add(self, launch: Launch | None) -> None:
        """Keep a launch."""
        if launch is not None:
            self.launches.append(launch)
