"""Words of systemd units and of the environment files that systemd reads.

Units are split at spaces, quotes and C escapes are taken off, `%` begins a specifier, and in a command
line `$` begins a variable (systemd.syntax(7), systemd.service(5); src/basic/extract-word.c of 252). In an
environment file a backslash in double quotes escapes a quote, a backslash, a dollar sign and a backtick
alone (src/basic/env-file.c).
"""

from __future__ import annotations

import re

from launchplan.engines import Inherited, Site, Value
from launchplan.render.quoting import printable

_BARE = re.compile(r"[A-Za-z0-9@+:=,./_-]+")
_ESCAPES = {"\n": r"\n", "\t": r"\t", "\r": r"\r", '"': r"\"", "\\": r"\\", "%": "%%"}


def unit_word(text: str) -> str:
    """Write one word of a setting that is a list of words."""
    return text if _BARE.fullmatch(text) else f'"{_escaped(text)}"'


def command_word(value: Value) -> str:
    """Write one word of a command line; a site variable is expanded whole, never split.

    What a search path held before is left out: a service inherits none.
    """
    word = ""
    for part in value:
        if isinstance(part, Site):
            word += f"${{{part.variable}}}"
        elif not isinstance(part, Inherited):
            word += _escaped(part).replace("$", "$$")
    plain = all(isinstance(part, Site) or (isinstance(part, str) and _BARE.fullmatch(part)) for part in value)
    return word if plain and word else f'"{word}"'


def environment_value(text: str) -> str:
    """Write the value of a variable as an `EnvironmentFile=` holds it."""
    if re.fullmatch(_BARE, text):
        return text
    return '"' + re.sub(r'(["\\$`])', r"\\\1", printable(text)) + '"'


def _escaped(text: str) -> str:
    """Escape text for double quotes; control characters, which end lines, as octal numbers."""
    return "".join(
        _ESCAPES.get(char) or (char if char.isprintable() or ord(char) > 127 else f"\\{ord(char):03o}")
        for char in printable(text)
    )
