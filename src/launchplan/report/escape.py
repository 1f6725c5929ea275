"""Text of other people's files made safe to print: it cannot move the cursor or break a line."""

from __future__ import annotations

import unicodedata

# Control characters, invisible format characters (which can reorder a line), surrogates, line separators.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def is_printable(character: str) -> bool:
    """Tell whether a character shows as itself and leaves the rest of the line alone."""
    return unicodedata.category(character) not in _UNSAFE


def printable(text: str) -> str:
    r"""Write characters that would not show as themselves as escapes: `\n`, `\x1b`, `\u202e`."""
    if text.isprintable():
        return text
    return "".join(char if is_printable(char) else _escape(char) for char in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")


def columns(text: str) -> int:
    """Count the terminal columns that a printable text takes; East Asian characters take two."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)
