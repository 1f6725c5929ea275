"""A log level that Python's logging does not have.

## Why

SGLang looks the level up in Python's `logging` before anything else, and ends with an `AttributeError` where
there is none of that name: `trace` is a level of uvicorn alone.

## Fix

debug, info, warning, error or critical.

## References

- SGLang 0.5.23 `server_args.py:704`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule
from launchplan.rules.wording import shown

LEVELS = frozenset({"critical", "fatal", "error", "warning", "warn", "info", "debug", "notset"})


@sglang_rule("ENG387", "log-level-known", source="../server_args.py:704", at="parse")
def check(view: SglangView) -> Iterator[Violation]:
    """Look the level up."""
    level = view.arguments["log_level"]
    if isinstance(level, str) and level.lower() not in LEVELS:
        message = f"log-level is {shown(level)}, which Python's logging does not have"
        yield refuse(view, "log_level", message, "use debug, info, warning or error")
