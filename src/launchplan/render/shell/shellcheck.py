"""What ShellCheck asks about text in single quotes, to be switched off only where there is such text."""

from __future__ import annotations

from collections.abc import Iterable

from launchplan.engines import Value

_CODES = (("SC1003", "\\"), ("SC1112", "\u2018\u2019"), ("SC2016", "$`"))
"""A code, and the characters that it takes for a slip."""


def literal_codes(values: Iterable[Value]) -> str:
    """List the codes of which values make ShellCheck ask, with commas between them."""
    found = {char for value in values for part in value if isinstance(part, str) for char in part}
    return ",".join(code for code, chars in _CODES if not found.isdisjoint(chars))
