"""Lines of YAML that were printed before and stand deeper in another file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """Printed lines and the blanks that go before each."""

    text: str
    indent: int

    def __str__(self) -> str:
        """Give the lines at their place, without the end of the last one."""
        blanks = " " * self.indent
        return "\n".join(blanks + line if line else "" for line in self.text.rstrip("\n").split("\n"))
