"""Everything that the template of the index may print."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.render.site.entries import Entry


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a file of the site."""

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class Card:
    """One recipe as the index prints it."""

    entry: Entry
    page: str
    """Link to its runbook; empty without one."""
    others: tuple[Link, ...]
    search: str
    """What a search looks through."""

    @property
    def has_page(self) -> bool:
        """Whether there is a runbook to go to."""
        return bool(self.page)


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter and what it can be set to."""

    key: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """The context of the index."""

    title: str
    count: str
    choices: tuple[Choice, ...]
    cards: tuple[Card, ...]
