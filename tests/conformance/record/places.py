"""Where an engine refused a launch."""

from __future__ import annotations

import re
import traceback
from types import TracebackType
from typing import Any

from tests.conformance.record.launches import Verdict

_WRAPPED = frozenset({"value_error", "assertion_error"})
"""Pydantic's names for an exception that a validator raised."""


def refusal(error: BaseException, package: str, checks: str = "") -> Verdict:
    """Say where an exception came from and what its first line is.

    `checks` is the folder of the package whose frames name a refusal, where one of them is on the way.
    """
    if isinstance(error, SystemExit):
        return Verdict(ok=False, where="argparse", error=f"exit {error.code}")
    details = _pydantic(error)
    if details is None:
        return Verdict(False, _innermost(error.__traceback__, package, checks), _first_line(error))
    inner = details.get("ctx", {}).get("error")
    if details["type"] in _WRAPPED and isinstance(inner, BaseException):
        return Verdict(False, _innermost(inner.__traceback__, package, checks), _first_line(inner))
    place = ".".join(str(part) for part in details["loc"])
    return Verdict(False, f"pydantic {details['title']}.{place}:{details['type']}", _first_line(error))


def _pydantic(error: BaseException) -> dict[str, Any] | None:
    if type(error).__name__ != "ValidationError" or not hasattr(error, "errors"):
        return None
    first: dict[str, Any] = error.errors()[0]
    return first | {"title": getattr(error, "title", "")}


def _innermost(trace: TracebackType | None, package: str, checks: str) -> str | None:
    """Name the deepest frame inside the engine as `package/file.py:line`."""
    found: list[str] = []
    for frame in traceback.extract_tb(trace):
        match = re.search(rf"site-packages/({package}/.*\.py)$", frame.filename)
        if match is not None:
            found.append(f"{match[1]}:{frame.lineno}")
    named = [place for place in found if checks and place.startswith(checks)]
    return next(reversed(named or found), None)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0][:300]
