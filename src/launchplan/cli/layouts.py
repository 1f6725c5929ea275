"""A sensible layout for a recipe that is yet to be written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from launchplan.cli.draft import Draft, Layout
from launchplan.finding import Severity
from launchplan.units import divisors

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

    def allow(self, layout: Layout) -> bool:
        """Tell whether a layout keeps to what was fixed."""
        return all(
            wanted in {None, size}
            for wanted, size in ((self.tp, layout.tp), (self.pp, layout.pp), (self.dp, layout.dp))
        )


def choose_layout(
    draft: Draft, sizes: Sizes, domain_gpus: int, check: Callable[[Draft], Report]
) -> tuple[Draft, Report]:
    """Give a draft the first layout, in order of preference, that has no errors and the fewest warnings.

    `domain_gpus` is the number of GPUs that NVLink or its like joins. With no layout free of errors, the
    preferred one comes back with its errors.
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
    _, best, report = min(tried, key=lambda entry: entry[0])
    return best, report


def _faults(draft: Draft, report: Report) -> tuple[int, ...]:
    """Weigh a layout: errors, then anything but tensor parallelism below a draft head, then warnings.

    Draft tokens are for low latency, which stages and replicas are not; engines differ on stages with them.
    """
    found = [finding.severity for finding in report.findings]
    apart = int(draft.mtp_tokens is not None and (draft.layout.pp > 1 or draft.layout.dp > 1))
    return found.count(Severity.ERROR), apart, found.count(Severity.WARNING)


def _candidates(draft: Draft, sizes: Sizes, domain_gpus: int) -> list[Layout]:
    if sizes.tp is not None and sizes.pp is not None and sizes.dp is not None:
        return []
    layouts = [layout for layout in _splits(draft.nodes * draft.gpus_per_node, sizes) if sizes.allow(layout)]
    near = max(domain_gpus, draft.gpus_per_node)
    stages_last = draft.nodes == 1 or draft.mtp_tokens is not None
    return sorted(layouts, key=lambda layout: _dislike(layout, near, stages_last=stages_last))


def _splits(gpus: int, sizes: Sizes) -> Iterator[Layout]:
    for tp in divisors(gpus, gpus):
        for pp in divisors(gpus // tp, gpus):
            yield Layout(tp, pp, gpus // tp // pp, sizes.ep or 1, sizes.dcp or 1)


def _dislike(layout: Layout, near: int, *, stages_last: bool) -> tuple[int, ...]:
    """Rank a layout, best first.

    Tensor parallelism belongs inside an NVLink domain and takes as much of it as it can; stages join hosts,
    replicas are for what is left on one.
    """
    crosses = int(layout.tp > near)
    stages = int(layout.pp > 1)
    replicas = int(layout.dp > 1)
    return (stages, replicas, crosses, -layout.tp) if stages_last else (replicas, crosses, -layout.tp, stages)
