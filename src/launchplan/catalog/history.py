"""Which release of an engine has which flag, what it was renamed to, and what is safe to rewrite.

Two files an engine: the spans are computed from the flags of the known releases side by side
(`launchplan engine spans`), the changes are told by hand, each with its source.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache

from launchplan.catalog.base import Fact, Sourced
from launchplan.catalog.engines import EngineFacts
from launchplan.catalog.load import DATA, engine_facts, nearest_facts, read_fact, versions
from launchplan.catalog.version import comes_before, version_key

VALUE = "{value}"
"""Stands for the flag's own value among the words of its replacement."""
FOLDER = DATA / "flag_history"


class Span(Fact):
    """A spelling that not every known release has; `releases` are pairs of the first and last that do."""

    name: str
    releases: tuple[tuple[str, str], ...]


class FlagSpans(Fact):
    """The known releases of an engine, oldest first, and the spellings that some of them lack."""

    engine: str
    versions: tuple[str, ...]
    spans: tuple[Span, ...]


class FlagChange(Fact):
    """What became of one spelling.

    `removed` is the first release without it, where that is known exactly. `replaced_by` are the words that
    say the same now, with `{value}` for its value; `values` are those words where they depend on the value;
    `drop` means that it had no effect at the end. `safe` says that the exchange changes nothing else: same
    meaning, same syntax of the value.
    """

    name: str
    switch: bool = False
    removed: str | None = None
    replaced_by: tuple[str, ...] = ()
    values: Mapping[str, tuple[str, ...]] = {}
    drop: bool = False
    safe: bool = False
    hint: str | None = None
    source: str

    @property
    def cure(self) -> str:
        """Say what to write instead: `use --mm-encoder-tp-mode data`."""
        if self.hint is not None:
            return self.hint
        return f"use {' '.join(word for word in self.replaced_by if word != VALUE)}"


class FlagChanges(Sourced):
    """The changes of one engine's flags."""

    engine: str
    changes: tuple[FlagChange, ...]


class FlagHistory:
    """The past of one engine's flags. Names are full spellings, without `=value` or `.key`."""

    def __init__(self, spans: FlagSpans, changes: FlagChanges) -> None:
        """Index both files by name."""
        self.versions = spans.versions
        self._engine = spans.engine
        self._spans = {span.name: span.releases for span in spans.spans}
        self._changes = {change.name: change for change in changes.changes}

    def change(self, name: str) -> FlagChange | None:
        """Return what became of a spelling."""
        return self._changes.get(self._spelled(name))

    def spans(self, name: str) -> tuple[tuple[str, str], ...]:
        """Return first and last known release of each run that has a spelling; empty when all or none do."""
        return self._spans.get(self._spelled(name), ())

    def is_gone(self, name: str, version: str) -> bool:
        """Tell whether it is known exactly that a release took a spelling away before a version."""
        change = self.change(name)
        if change is None or change.removed is None or self._has(name, version):
            return False
        asked, without = version_key(version), version_key(change.removed)
        return not asked or asked > without or (asked == without and not comes_before(version))

    def past(self, name: str, version: str) -> tuple[str, str] | None:
        """Say when a spelling that a version lacks existed, and the cure: `("removed in 0.13.0", "use …")`.

        None for a spelling that no release is known to have had.
        """
        facts = nearest_facts(self._engine, version)
        if facts is not None and facts.find(name) is not None and not self.is_gone(name, version):
            return None
        change, spans, asked = self.change(name), self.spans(name), version_key(version)
        before = [last for _, last in spans if asked and version_key(last) < asked]
        after = [first for first, _ in spans if asked and version_key(first) > asked]
        if change is not None and (change.removed or before or not spans):
            return self._removed(change, before), change.cure
        if before:
            return f"removed after {before[-1]}", "remove it"
        if after:
            return f"exists from {after[0]}{self._not_yet(after[0])}", (
                f"remove it, or use {self._engine} {after[0]}"
            )
        return None

    def rewrite(self, name: str, value: str | None, version: str) -> tuple[str, ...] | None:
        """Return the words that say the same in a version; empty to drop the flag, None where it is not safe.

        Ask it of a spelling that the version lacks or deprecates. `value` is None for a flag without one. The
        version has all flags of the words returned.
        """
        change = self.change(name)
        if change is None or not change.safe or (change.switch and value is not None):
            return None
        if change.values:
            words = change.values.get(value or "")
        elif change.drop or change.switch:
            words = change.replaced_by
        else:
            words = None if value is None else change.replaced_by
        facts = nearest_facts(self._engine, version)
        if words is None or facts is None or not _are_flags_of(facts, words):
            return None
        return tuple((value or "") if word == VALUE else word for word in words)

    def _removed(self, change: FlagChange, before: list[str]) -> str:
        if change.removed is not None:
            return f"removed in {change.removed}"
        return f"removed after {before[-1]}" if before else f"no release since {self.versions[0]} has it"

    def _not_yet(self, release: str) -> str:
        place = self.versions.index(release)
        return f" (not in {self.versions[place - 1]})" if place else ""

    def _has(self, name: str, version: str) -> bool:
        asked = version_key(version)
        return any(version_key(a) <= asked <= version_key(b) for a, b in self.spans(name)) if asked else False

    def _spelled(self, name: str) -> str:
        return name.replace("_", "-") if self._engine == "vllm" and name.startswith("--") else name


@cache
def flag_history(engine: str) -> FlagHistory | None:
    """Return the past of an engine's flags; None for an engine that none is told of."""
    path = FOLDER / f"{engine}.yaml"
    if not path.exists():
        return None
    spans = read_fact(FlagSpans, FOLDER / f"{engine}.spans.yaml")
    return FlagHistory(spans, read_fact(FlagChanges, path))


def spans_of(engine: str) -> FlagSpans:
    """Compute the spans from the flags of every known release."""
    known = versions(engine)
    names = [_names(engine_facts(engine, version)) for version in known]
    every = dict.fromkeys(name for each in names for name in each)
    found = [Span(name=name, releases=_runs(known, [name in each for each in names])) for name in every]
    whole = ((known[0], known[-1]),)
    return FlagSpans(
        engine=engine,
        versions=known,
        spans=tuple(sorted((s for s in found if s.releases != whole), key=lambda s: s.name)),
    )


def spans_text(spans: FlagSpans) -> str:
    """Write the spans as their file."""
    head = f"# Computed by `launchplan engine spans {spans.engine}` from the flags of the known releases.\n"
    lines = [f"engine: {spans.engine}", f"versions: {json.dumps(spans.versions)}"]
    lines.append("spans:" if spans.spans else "spans: []")
    lines += [
        f"  - {{name: {span.name}, releases: {json.dumps([list(pair) for pair in span.releases])}}}"
        for span in spans.spans
    ]
    return head + "\n".join(lines) + "\n"


def _names(facts: EngineFacts | None) -> Iterable[str]:
    return dict.fromkeys(name for flag in facts.flags for name in flag.names) if facts else {}


def _runs(known: tuple[str, ...], has: list[bool]) -> tuple[tuple[str, str], ...]:
    runs: list[tuple[str, str]] = []
    for place, version in enumerate(known):
        if not has[place]:
            continue
        follows = place > 0 and has[place - 1]
        runs = [*runs[:-1], (runs[-1][0], version)] if follows else [*runs, (version, version)]
    return tuple(runs)


def _are_flags_of(facts: EngineFacts, words: tuple[str, ...]) -> bool:
    return all(facts.find(word.partition(".")[0]) for word in words if word.startswith("--"))
