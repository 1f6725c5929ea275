"""What a target is: a way to make files of a launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from launchplan.engines import Launch
from launchplan.finding import Finding
from launchplan.render.environment import Printer


@dataclass(frozen=True, slots=True)
class File:
    """One file of a bundle."""

    path: str
    """Where it lies in the bundle, with `/` between folders."""
    content: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of artefact that a launch can be rendered as."""

    name: str
    summary: str
    """What it is for, in one line."""
    files: Callable[[Launch, tuple[Finding, ...], Printer], tuple[File, ...]]
    """Make the files from a launch, what the rules said of it, and the templates."""
    needs: tuple[str, ...] = ()
    """Targets whose files these ones use; they are rendered along."""
