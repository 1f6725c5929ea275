"""What a drawing consists of; lengths are in CSS pixels, colours are classes of the page's style sheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Anchor = Literal["start", "middle", "end"]
_CHAR = 0.58
"""Width of a character of a sans-serif font, in heights of the font."""


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    """Class of the style sheet."""
    round: float = 0
    tip: str = ""
    """What a pointer that rests on it shows."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled area."""

    points: tuple[tuple[float, float], ...]
    kind: str


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text."""

    x: float
    y: float
    """The base line."""
    text: str
    kind: str = "label"
    anchor: Anchor = "start"


Shape = Rect | Line | Polygon | Text


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture with what somebody hears who does not see it."""

    id: str
    """Its name within the page."""
    width: float
    height: float
    title: str
    description: str
    shapes: tuple[Shape, ...]


def text_width(text: str, size: float) -> float:
    """Estimate the width of a line of text."""
    return len(text) * size * _CHAR
