"""What the GPUs hold, for a recipe whose author named no window and no number of requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from launchplan.cli.draft import Draft
from launchplan.finding import Severity

if TYPE_CHECKING:
    from launchplan.api import Report

Check = Callable[[Draft], "Report"]


def make_room(draft: Draft, report: Report, check: Check, *, window_fixed: bool) -> tuple[Draft, Report]:
    """Give a draft the window and the requests at once that fit, where they are all that is refused.

    Requests are lowered where the engine's own number is more than there are blocks for recurrent state: to
    as many as surely have one. Without a way, the draft comes back with its errors.
    """
    from launchplan.fit.windows import MAY_BE_TOO_MANY, fewer_requests, too_many

    found = _shortened(draft, report, check, window_fixed=window_fixed)
    if not too_many(found[1].findings):
        return found
    for requests in fewer_requests(1):
        candidate = replace(draft, max_num_seqs=requests)
        fewer = _shortened(candidate, check(candidate), check, window_fixed=window_fixed)
        if not fewer[1].ok:
            continue
        found = fewer
        if all(finding.code != MAY_BE_TOO_MANY for finding in fewer[1].findings):
            break
    return found


def _shortened(draft: Draft, report: Report, check: Check, *, window_fixed: bool) -> tuple[Draft, Report]:
    """Take the longest window that fits, where its length is all that is refused.

    Windows are powers of two in tokens. Of those without errors the longest with the fewest warnings is
    taken: a warning may say that the pool could still be too small.
    """
    from launchplan.fit.windows import shorter_windows, too_long

    if window_fixed or not too_long(report.findings):
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
