"""A window that the GPUs hold, for a recipe whose author named none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from launchplan.cli.draft import Draft
from launchplan.finding import Severity

if TYPE_CHECKING:
    from launchplan.api import Report

_TOO_LONG = "MEM203"
"""The rule that refuses a request of the longest length."""
_SHORTEST_TOKENS = 4096
"""A window below this serves nobody; the refusal says more."""


def shorten_window(draft: Draft, report: Report, check: Callable[[Draft], Report]) -> tuple[Draft, Report]:
    """Give a draft the longest window that fits, where its length is all that is refused.

    Windows are powers of two in tokens. Of those without errors the longest with the fewest warnings is
    taken: a warning may say that the pool could still be too small. Without one, the draft comes back
    with its errors.
    """
    if not _is_only_too_long(report):
        return draft, report
    best, least = (draft, report), None
    for tokens in _shorter(draft.max_model_len or draft.model_window or 0):
        candidate = replace(draft, max_model_len=tokens)
        judged = check(candidate)
        if not judged.ok:
            continue
        warnings = sum(finding.severity is Severity.WARNING for finding in judged.findings)
        if least is None or warnings < least:
            best, least = (candidate, judged), warnings
        if not warnings:
            break
    return best


def _is_only_too_long(report: Report) -> bool:
    errors = {finding.code for finding in report.findings if finding.severity is Severity.ERROR}
    return errors == {_TOO_LONG}


def _shorter(window: int) -> Iterator[int]:
    """Count powers of two down from below a window."""
    tokens = 1 << max(window - 1, 0).bit_length() >> 1
    while tokens >= _SHORTEST_TOKENS:
        yield tokens
        tokens //= 2
