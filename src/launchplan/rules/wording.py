"""How messages show what somebody else wrote."""

from __future__ import annotations

LONGEST = 60


def shown(value: object) -> str:
    """Quote a value on one line, cut where it is long."""
    return f"'{cut(str(value))}'"


def cut(text: str) -> str:
    """Bring a text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
