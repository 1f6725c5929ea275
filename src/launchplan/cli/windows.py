"""A window that the GPUs hold, for a recipe whose author named none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from launchplan.cli.draft import Draft
from launchplan.finding import Severity

if TYPE_CHECKING:
    from launchplan.api import Report


def shorten_window(draft: Draft, report: Report, check: Callable[[Draft], Report]) -> tuple[Draft, Report]:
    """Give a draft the longest window that fits, where its length is all that is refused.

    Windows are powers of two in tokens. Of those without errors the longest with the fewest warnings is
    taken: a warning may say that the pool could still be too small. Without one, the draft comes back
    with its errors.
    """
    from launchplan.fit.windows import shorter_windows, too_long

    if not too_long(report.findings):
        return draft, report
    best, least = (draft, report), None
    for tokens in shorter_windows(draft.max_model_len or draft.model_window or 0):
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
