"""A sensible layout for a recipe that is yet to be written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from launchplan.cli.draft import Draft, Layout
from launchplan.cli.room import Check, make_room
from launchplan.finding import Severity

if TYPE_CHECKING:
    from launchplan.api import Report

_TRIES = 40


@dataclass(frozen=True, slots=True)
class Sizes:
    """The parallel sizes that the user fixed; None for one to choose."""

    tp: int | None = None
    pp: int | None = None
    dp: int | None = None
    ep: int | None = None
    dcp: int | None = None


def choose_layout(
    draft: Draft, sizes: Sizes, domain_gpus: int, check: Check, *, window_fixed: bool
) -> tuple[Draft, Report]:
    """Give a draft the first layout, in order of preference, that has no errors and the fewest warnings.

    `domain_gpus` is the number of GPUs that NVLink or its like joins. Where every layout has errors, the
    first is taken that has none with a shorter window or fewer requests, else the one with the fewest.
    """
    fixed = Layout(sizes.tp or 1, sizes.pp or 1, sizes.dp or 1, sizes.ep or 1, sizes.dcp or 1)
    wanted = _candidates(draft, sizes, domain_gpus) or [fixed]
    tried: list[tuple[tuple[int, ...], Draft, Report]] = []
    for layout in wanted[:_TRIES]:
        candidate = replace(draft, layout=layout)
        report = check(candidate)
        faults = _faults(candidate, report)
        tried.append((faults, candidate, report))
        if not any(faults):
            break
    tried.sort(key=lambda entry: entry[0])
    for _, candidate, report in tried:
        found = make_room(candidate, report, check, window_fixed=window_fixed)
        if found[1].ok:
            return found
    return tried[0][1:]


def _faults(draft: Draft, report: Report) -> tuple[int, ...]:
    """Weigh a layout: errors, then anything but tensor parallelism below a draft head, then warnings.

    Draft tokens are for low latency, which stages and replicas are not; engines differ on stages with them.
    """
    found = [finding.severity for finding in report.findings]
    apart = int(draft.mtp_tokens is not None and (draft.layout.pp > 1 or draft.layout.dp > 1))
    return found.count(Severity.ERROR), apart, found.count(Severity.WARNING)


def _candidates(draft: Draft, sizes: Sizes, domain_gpus: int) -> list[Layout]:
    from launchplan.fit.preference import Fixed, preferred

    if sizes.tp is not None and sizes.pp is not None and sizes.dp is not None:
        return []
    near = max(domain_gpus, draft.gpus_per_node)
    stages_last = draft.nodes == 1 or draft.mtp_tokens is not None
    fixed = Fixed(sizes.tp, sizes.pp, sizes.dp)
    wanted = preferred(draft.nodes * draft.gpus_per_node, fixed, near, stages_last=stages_last)
    return [Layout(*each, sizes.ep or 1, sizes.dcp or 1) for each in wanted]
