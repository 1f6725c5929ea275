"""Where the shipped templates and recipes lie: in a wheel beside the package, in a checkout at its top."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def _shipped(name: str) -> Path:
    packed = _PACKAGE / "_data" / name
    # An editable install leaves the copy out of the source tree; the checkout's own folder is the truth then.
    return packed if packed.is_dir() else _PACKAGE.parents[1] / name


def templates_dir() -> Path:
    """Return the folder of the Jinja templates."""
    return _shipped("templates")


def recipes_dir() -> Path:
    """Return the folder of the shipped recipes."""
    return _shipped("recipes")
