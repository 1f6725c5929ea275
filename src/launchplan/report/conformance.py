"""How far the rules agree with what the engines themselves said, as text and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from launchplan.report.asked_offers import offers_section
from launchplan.report.public_launches import public_section
from launchplan.report.tables import markdown_table, table

_INTRO = """
launchplan never imports an engine. What keeps its rules honest is this: launches that the unmodified engines
judged, each with model, arguments, GPU and verdict, are judged again by `api.lint` in every test run. The
engines ran without a GPU, behind a pretended one; nothing was loaded or measured.

`equal`: both take the launch or both refuse it. `false accept`: the engine alone refuses. `false refuse`: we
alone do. The stages: `config` is everything up to the engine's finished configuration, `worker` adds the
construction of the model on a rank. Counts of a launch that no rule could judge, because its verdict hangs on
a file that is not at hand, stand apart.

`tests/conformance/record` makes such verdicts from an installed engine; `tests/conformance/agreement` holds
the counts, and a test fails when they change.
"""
_DELIBERATE = """
Launches that the engine takes and that cannot serve, or that quietly lack what was asked for: the engine
starts, and then hangs, fails its first request or ignores the flag. Rules speak of them all the same; they do
not count as disagreement.
"""


@dataclass(frozen=True, slots=True)
class Place:
    """One place in the engine's source that refuses launches."""

    name: str
    equal: int
    false_accept: int
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StageAgreement:
    """Counts of one release and stage."""

    engine: str
    version: str
    stage: str
    accepted: int
    """Launches that engine and rules both take."""
    places: tuple[Place, ...]
    false_refuse: tuple[tuple[str, int], ...]
    deliberate: tuple[tuple[str, int], ...]
    apart: tuple[tuple[str, Mapping[str, int]], ...]
    values: tuple[tuple[str, Mapping[str, int]], ...]

    @property
    def false_accepts(self) -> int:
        """Launches that the engine alone refuses."""
        return sum(place.false_accept for place in self.places)

    @property
    def false_refusals(self) -> int:
        """Launches that we alone refuse."""
        return sum(count for _, count in self.false_refuse)

    @property
    def equal(self) -> int:
        """Launches with the same verdict."""
        return self.accepted + sum(place.equal for place in self.places)

    @property
    def rows(self) -> int:
        """All launches that are counted."""
        return self.equal + self.false_accepts + self.false_refusals

    @property
    def percent(self) -> float:
        """Share of the same verdict."""
        return 100 * self.equal / max(1, self.rows)


@dataclass(frozen=True, slots=True)
class Deliberate:
    """A rule that speaks against launches that the engine takes."""

    code: str
    engines: tuple[str, ...]
    does: str
    """What the engine does instead of refusing."""
    evidence: str


def stages_of(data: Mapping[str, Any]) -> tuple[StageAgreement, ...]:
    """Read the recorded counts; keys are `engine-version-stage`."""
    return tuple(_stage(name, counts) for name, counts in sorted(data.items()))


def _stage(name: str, data: Mapping[str, Any]) -> StageAgreement:
    engine, version, stage = name.split("-")
    places = (
        Place(place, found["equal"], found["false_accept"], tuple(found["rules"]))
        for place, found in data["refused"].items()
    )
    return StageAgreement(
        engine, version, stage, data["accepted"], tuple(places), tuple(data["false_refuse"].items()),
        tuple(data["deliberate"].items()), tuple(data["apart"].items()), tuple(data["values"].items()),
    )  # fmt: skip


def agreement_text(stage: StageAgreement) -> str:
    """Write the counts of a stage for a terminal, kind by kind."""
    name = f"{stage.engine} {stage.version} {stage.stage}"
    kinds = [[stage.engine, stage.stage, *map(str, row)] for row in _kinds(stage)]
    header = ("engine", "stage", "kind", "rules", "equal", "false accept", "false refuse")
    values = [[f"{stage.engine} value", value, *map(str, counts)] for value, counts in _values(stage)]
    apart = "".join(
        f"{name}: {counts.get('equal', 0)} equal, {counts.get('different', 0)} different, apart: {why}\n"
        for why, counts in stage.apart
    )
    text = f"{name}: {_share(stage)}\n{apart}" + table(header, kinds)
    return text + (table(("", "name", "equal", "different", "unknown"), values) if values else "")


def conformance_page(
    stages: Iterable[StageAgreement],
    deliberate: Iterable[Deliberate],
    offers: Iterable[Mapping[str, Any]] = (),
    public: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
) -> str:
    """Write the Markdown page of all stages, of what engines were asked of offers, and of public launches."""
    stages = tuple(stages)
    summary = (
        (stage.engine, stage.version, stage.stage, stage.rows, stage.equal, stage.false_accepts,
         stage.false_refusals, f"{stage.percent:.2f} %", sum(sum(c.values()) for _, c in stage.apart))
        for stage in stages
    )  # fmt: skip
    header = (
        "engine", "version", "stage", "launches", "equal", "false accept", "false refuse",
        "same verdict", "apart",
    )  # fmt: skip
    blocks = ["# Conformance", _INTRO.strip(), markdown_table(header, summary)]
    blocks += ["## Deliberate disagreements", _DELIBERATE.strip(), _deliberate_table(stages, deliberate)]
    blocks += offers_section(offers)
    blocks += public_section(public or {})
    for stage in stages:
        blocks += _stage_blocks(stage)
    return "\n\n".join(blocks) + "\n"


def _stage_blocks(stage: StageAgreement) -> Iterator[str]:
    yield f"## {stage.engine} {stage.version}: {stage.stage}"
    yield f"{_share(stage)}."
    header = ("refused at, or rule that refuses", "rules", "equal", "false accept", "false refuse")
    yield markdown_table(header, _kinds(stage))
    if stage.apart:
        rows = ((why, counts.get("equal", 0), counts.get("different", 0)) for why, counts in stage.apart)
        yield markdown_table(("apart: the verdict hangs on", "equal", "different"), rows)
    if stage.values:
        rows_of_values = ((f"`{name}`", *counts) for name, counts in _values(stage))
        yield markdown_table(
            ("value that the engine fills in", "equal", "different", "unknown"), rows_of_values
        )


def _share(stage: StageAgreement) -> str:
    return f"{stage.equal:,} of {stage.rows:,} launches get the engine's verdict ({stage.percent:.2f} %)"


def _kinds(stage: StageAgreement) -> Iterator[tuple[str, str, int, int, int]]:
    """List the kinds of launches: those that are taken, a place in the engine each, a rule each."""
    yield "(accepted)", "", stage.accepted, 0, 0
    for place in stage.places:
        yield place.name, " ".join(place.rules), place.equal, place.false_accept, 0
    for code, count in stage.false_refuse:
        yield code, code, 0, 0, count


def _values(stage: StageAgreement) -> Iterator[tuple[str, tuple[int, int, int]]]:
    for name, counts in stage.values:
        yield name, (counts.get("equal", 0), counts.get("different", 0), counts.get("unknown", 0))


def _deliberate_table(stages: tuple[StageAgreement, ...], entries: Iterable[Deliberate]) -> str:
    rows = []
    for entry in entries:
        counts = (
            dict(stage.deliberate).get(entry.code, 0) for stage in stages if stage.engine in entry.engines
        )
        link = f"[{entry.code}](rules/{entry.code}.md)"
        rows.append((link, ", ".join(entry.engines), entry.does, entry.evidence, sum(counts)))
    return markdown_table(("rule", "engine", "what happens", "evidence", "launches"), rows)
