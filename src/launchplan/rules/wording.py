"""How messages show what somebody else wrote."""

from __future__ import annotations

from launchplan.rules.secret_shapes import secret_in

LONGEST = 60
HIDDEN = "***"
"""What stands for a text that holds a secret."""


def shown(value: object) -> str:
    """Quote a value on one line, cut where it is long."""
    return f"'{cut(str(value))}'"


def cut(text: str) -> str:
    """Bring a text on one line, cut where it is long; a secret is not shown."""
    if secret_in(text) is not None:
        return HIDDEN
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
