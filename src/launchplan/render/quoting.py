"""Bash words: what a script writes so that a process gets exactly the value."""

from __future__ import annotations

import re
import shlex
from typing import Literal

from launchplan.engines import Inherited, Site, Value
from launchplan.errors import UnprintableError
from launchplan.posix import reserved_variable, unprintable

Missing = Literal["fail", "empty", "local", "checked"]
"""What a word does when a site variable is not set: end the script with the hint, stand for nothing, stand
for this host, or nothing special because the script has checked it before."""

_BARE = re.compile(r"[A-Za-z0-9@%+:./_-]+")
_PLAIN = re.compile(r'[ "-~]*')  # ASCII but "!"
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HINT = re.compile(r"[A-Za-z0-9 ,.:;()/'-]*")


def shell_word(value: Value | str, missing: Missing = "checked") -> str:
    """Write one word for bash; raise `UnprintableError` for text that no command line can hold.

    Plain text stands bare or in single quotes, which keep every byte in every locale. A value with site parts
    stands in double quotes.
    """
    parts = (value,) if isinstance(value, str) else value
    if all(isinstance(part, str) for part in parts):
        return _literal("".join(part for part in parts if isinstance(part, str)))
    word, inside = "", False
    for part in parts:
        quoted = _in_double_quotes(part, missing)
        if (quoted is not None) != inside:
            word, inside = word + '"', not inside
        word += quoted if quoted is not None else _literal(str(part))
    return word + '"' if inside else word


def variable_name(name: str) -> str:
    """Check the name of an environment variable; raise `UnprintableError` for one that bash can't hand on."""
    if not _IDENTIFIER.fullmatch(name):
        raise UnprintableError(f"'{name}' is no name of an environment variable")
    reason = reserved_variable(name)
    if reason is not None:
        raise UnprintableError(reason)
    return name


def printable(text: str) -> str:
    """Check that a process can be given the text; raise `UnprintableError` if it can't."""
    reason = unprintable(text)
    if reason is not None:
        raise UnprintableError(f"{text!a} {reason}")
    return text


def _literal(text: str) -> str:
    if _BARE.fullmatch(text):
        return text
    quoted = shlex.quote(printable(text))
    # A comma or an equals sign needs no quotes, but looks like a slip inside an array.
    return quoted if quoted != text else f"'{text}'"


def _in_double_quotes(part: str | Site | Inherited, missing: Missing) -> str | None:
    """Write a part as it stands between double quotes; None for text that is not safe there."""
    if isinstance(part, str):
        # In double quotes bash drops control characters in some locales, and `!` recalls history.
        safe = _PLAIN.fullmatch(printable(part))
        return re.sub(r'([\\"$`])', r"\\\1", part) if safe else None
    if isinstance(part, Inherited):
        name = variable_name(part.variable)
        return f"${{{name}:+:${{{name}}}}}"
    if not _IDENTIFIER.fullmatch(part.variable) or not _HINT.fullmatch(part.hint):
        raise ValueError(f"site variable {part.variable} or its hint is not plain: {part.hint}")
    match missing:
        case "fail":
            return f"${{{part.variable}:?{part.hint}}}"
        case "empty":
            return f"${{{part.variable}:-}}"
        case "local":
            return f"${{{part.variable}:-127.0.0.1}}"
        case "checked":
            return f"${{{part.variable}}}"
