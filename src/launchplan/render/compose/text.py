"""Values as Compose reads them: in its YAML, where `$` begins a variable, and in its environment files."""

from __future__ import annotations

import re

from launchplan.engines import Inherited, Site, Value
from launchplan.render.quoting import printable

_BARE = re.compile(r"[A-Za-z0-9_./:,@%+-]+")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "$": "\\$", "\n": "\\n", "\r": "\\r"}
_DEFAULTS = {"LOCAL_CACHE": "/tmp/launchplan", "HUB_CACHE": "${HF_HOME:-${HOME}/.cache/huggingface}"}  # noqa: S108
"""What stands for a site variable that is not set; the others are demanded."""


def in_yaml(value: Value) -> str:
    """Write a value as Compose interpolates it: `$$` is a dollar, `${NAME:?hint}` the site's to give."""
    return "".join(
        printable(part).replace("$", "$$") if isinstance(part, str) else _variable(part) for part in value
    )


def in_environment_file(value: Value) -> str:
    """Write a value behind `NAME=` in an environment file; in double quotes only a few characters count."""
    if all(isinstance(part, str) for part in value):
        plain = "".join(printable(part) for part in value if isinstance(part, str))
        if _BARE.fullmatch(plain):
            return plain
    inside = (_escaped(part) if isinstance(part, str) else _variable(part) for part in value)
    return f'"{"".join(inside)}"'


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(char, char) for char in printable(text))


def _variable(part: Site | Inherited) -> str:
    if isinstance(part, Inherited):
        raise TypeError(f"{part.variable} of the image is not known outside of it")
    if part.variable == "HUB_CACHE":
        return _DEFAULTS["HUB_CACHE"]
    if part.variable in _DEFAULTS:
        return f"${{{part.variable}:-{_DEFAULTS[part.variable]}}}"
    return f"${{{part.variable}:?{part.hint}}}"
