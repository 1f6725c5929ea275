"""What shell text is cut into."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.lint.text import Text


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a word: characters, or what stands for some.

    `name` is a variable's (`@` are the script's own arguments), `?` what can't be known; `default` is that of
    `${name:-default}`.
    """

    text: Text
    quoted: bool = False
    name: str | None = None
    array: bool = False
    default: tuple[Part, ...] | None = None
    alternative: bool = False
    """Whether `default` stands in where the variable is set: `${name:+default}`."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word before expansion."""

    parts: tuple[Part, ...]
    start: int
    end: int
    """Offsets in the text that was cut."""

    @property
    def plain(self) -> str | None:
        """The word where it is literal; None where something must be expanded."""
        if any(part.name is not None for part in self.parts):
            return None
        return "".join(part.text.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Operator:
    """What stands between commands: `;`, `&&`, `|`, `(`, a line end."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Redirection:
    """A redirection with its target; `body` is the text of a here document."""

    sign: str
    target: Word | None
    start: int
    body: Text | None = None
    expands: bool = False
