"""Refusals of releases before the ones whose source the other rules were read in.

Each is known from public reports; it says from which release to which it was seen, no further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from launchplan.engines.view import EngineView
from launchplan.memo import kept_by_identity
from launchplan.rules.rule import Enforced, Violation
from launchplan.rules.versions import reaches

Found = str | None


@dataclass(frozen=True, slots=True)
class Past:
    """One refusal of some releases."""

    engine: str
    until: str
    """First release that does not refuse it any more, or of which it is not known."""
    source: str
    """The public report."""
    finds: Callable[[EngineView], Found]
    """Gives the message for a process that is refused."""
    flag: str
    """The flag that it stands at, by the parser's name."""
    fix: str
    since: str = "0"
    """First release that it is known of."""
    at: Enforced = "worker"


def refusals(view: EngineView, table: Sequence[Past]) -> Iterator[Violation]:
    """Give what a process's release refused."""
    for past in _speaking(table, view.engine, view.pool.deployment.version):
        message = past.finds(view)
        if message is not None:
            yield Violation(message, view.path(past.flag), past.fix, past.source, past.at)


@kept_by_identity
def _speaking(table: Sequence[Past], engine: str, version: str) -> tuple[Past, ...]:
    """Pick a release's refusals."""
    return tuple(
        past
        for past in table
        if past.engine == engine and reaches(version, past.since) and not reaches(version, past.until)
    )


def classes(view: EngineView) -> frozenset[str]:
    """Give the model's classes."""
    return frozenset(view.architecture.architectures) if view.architecture else frozenset()


def size(view: EngineView, name: str) -> int:
    """Give a size of the command; 1 where there is none."""
    value = view.arguments[name]
    return value if isinstance(value, int) and value > 0 else 1


def capability(view: EngineView) -> tuple[int, int] | None:
    """Give the compute capability of an NVIDIA GPU."""
    return view.gpu.capability if view.gpu else None


def unread(view: EngineView, flag: str) -> str | None:
    """Give what stood behind a flag that no known release has; empty for a switch, None without it."""
    words = [word.text for word in view.arguments.unread]
    for place, word in enumerate(words):
        name, sign, value = word.partition("=")
        if name.replace("_", "-") == flag:
            following = words[place + 1 : place + 2]
            return value if sign else "".join(text for text in following if not text.startswith("-"))
    return None
