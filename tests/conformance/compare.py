"""Judge recorded launches by our rules, and count where engine and rules differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from launchplan import api
from launchplan.api import Finding, Report, Severity
from tests.conformance.rows import Recording, Row

COMES_TO = {"parse": 0, "config": 1, "worker": 2, "memory": 3, "run": 4}
"""How far a launch comes before a finding stops it."""
UNKNOWN = object()
"""What our settings do not hold."""


@dataclass(slots=True)
class Tally:
    """Counts of one recording; every count that a report shows is made here."""

    accepted: int = 0
    """Rows that engine and rules both accept."""
    refused: Counter[str] = field(default_factory=Counter)
    """Rows that both refuse, by the engine's place."""
    rules: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Rules that refuse what the engine refuses at a place."""
    false_accept: Counter[str] = field(default_factory=Counter)
    """Rows that the engine alone refuses, by its place."""
    false_refuse: Counter[str] = field(default_factory=Counter)
    """Rows that we alone refuse, by our first rule."""
    deliberate: Counter[str] = field(default_factory=Counter)
    """Accepted rows of which a rule says that they cannot work all the same."""
    apart: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Verdicts of rows that hang on what nobody here can read."""
    values: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Settings that the engine fills in: equal, different, unknown."""
    examples: dict[tuple[str, str], str] = field(default_factory=dict)
    """The first row of each kind of disagreement."""

    def as_data(self) -> dict[str, Any]:
        """Give the counts as `agreement.json` holds them."""
        places = sorted({*self.refused, *self.false_accept}, key=_place_order)
        return {
            "accepted": self.accepted,
            "refused": {place: self._place(place) for place in places},
            "false_refuse": dict(sorted(self.false_refuse.items())),
            "deliberate": dict(sorted(self.deliberate.items())),
            "apart": {why: _sorted(counts) for why, counts in sorted(self.apart.items())},
            "values": {name: _sorted(counts) for name, counts in sorted(self.values.items())},
        }

    def _place(self, place: str) -> dict[str, Any]:
        found: dict[str, Any] = {"equal": self.refused[place], "false_accept": self.false_accept[place]}
        return found | {"rules": sorted(self.rules[place])}


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _place_order(place: str) -> tuple[str, int]:
    file, _, line = place.partition(":")
    return (file, int(line)) if line.isdigit() else (place, 0)


def judge(recording: Recording, deliberate: frozenset[str]) -> Tally:
    """Run every row through the public check of a command."""
    tally = Tally()
    for row in recording.rows():
        report = api.lint(
            row.command(recording.engine),
            gpu=row.gpu,
            gpus_per_node=row.gpus,
            version=recording.version,
            env=row.env,
            memory=False,  # the recordings were made without any
        )
        _count_verdict(tally, row, report, recording)
        if row.ok and row.apart is None:
            tally.deliberate.update(_deliberate(report, recording, deliberate))
            _count_values(tally, row, report)
    return tally


def _count_verdict(tally: Tally, row: Row, report: Report, recording: Recording) -> None:
    errors = [
        finding for finding in _errors(report) if _within(finding, recording) and not _of_memory(finding)
    ]
    if row.apart is not None:
        tally.apart[row.apart]["equal" if row.ok == (not errors) else "different"] += 1
    elif row.ok and not errors:
        tally.accepted += 1
    elif row.ok:
        tally.false_refuse[errors[0].code] += 1
        _remember(tally, "false refuse", errors[0].code, row, errors[0].message)
    elif errors:
        tally.refused[row.where or ""] += 1
        tally.rules[row.where or ""].add(errors[0].code)
    else:
        tally.false_accept[row.where or ""] += 1
        _remember(tally, "false accept", row.where or "", row, "")


def _remember(tally: Tally, kind: str, name: str, row: Row, message: str) -> None:
    command = " ".join((row.model, *row.args))
    tally.examples.setdefault(
        (kind, name), f"{row.id} on {row.gpus} x {row.gpu}: {command}  {message}".strip()
    )


def _errors(report: Report) -> Iterator[Finding]:
    return (finding for finding in report.findings if finding.severity is Severity.ERROR)


def _within(finding: Finding, recording: Recording) -> bool:
    return COMES_TO[finding.at or "config"] <= COMES_TO[recording.stage]


def _of_memory(finding: Finding) -> bool:
    """Tell whether a finding is about memory, of which a recording says nothing.

    Models were built on the meta device and cut to a few layers.
    """
    return finding.code.startswith("MEM")


def _deliberate(report: Report, recording: Recording, listed: frozenset[str]) -> set[str]:
    """Name the rules that speak against an accepted launch: errors at `run`, and the warnings that are listed."""
    late = {finding.code for finding in _errors(report) if finding.at == "run"}
    return late | {finding.code for finding in report.findings if finding.code in listed}


def _count_values(tally: Tally, row: Row, report: Report) -> None:
    settings = getattr(report.plan.views[0], "settings", UNKNOWN) if report.plan else UNKNOWN
    for name, theirs in row.resolved.items():
        ours = _value(settings, name)
        if ours is UNKNOWN:
            tally.values[name]["unknown"] += 1
        elif ours == theirs:
            tally.values[name]["equal"] += 1
        else:
            tally.values[name]["different"] += 1
            _remember(tally, "value", name, row, f"is {ours}, the engine says {theirs}")


def _value(held: object, name: str) -> object:
    """Read `a.b` of our settings; `count` is the length of what it stands behind."""
    for part in name.split("."):
        if held is UNKNOWN or held is None:
            return held
        held = len(held) if part == "count" and isinstance(held, tuple) else getattr(held, part, UNKNOWN)
    return held


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Say which counts changed."""
    before, after = _flat(old), _flat(new)
    for name in sorted({*before, *after}):
        was, now = before.get(name), after.get(name)
        if was != now:
            yield f"{' / '.join(name)}: {was} -> {now}"


def _flat(data: Mapping[str, Any], path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    found: dict[tuple[str, ...], Any] = {}
    for name, value in data.items():
        if isinstance(value, Mapping):
            found |= _flat(value, (*path, name))
        else:
            found[*path, name] = value
    return found
