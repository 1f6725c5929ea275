"""Check the commands in a file's text: find, judge, compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from launchplan.errors import InputError
from launchplan.finding import Finding, Location, worst_first
from launchplan.lint.container_checks import service_notes
from launchplan.lint.finders import Search, find_text, kind_of
from launchplan.lint.found import Launch, pinned_version
from launchplan.lint.judge import Judged, judge
from launchplan.lint.plan import NO_MODEL, Site
from launchplan.lint.pools import pool_findings
from launchplan.lint.rays import ray_notes
from launchplan.lint.several import several_findings, without_idle, without_repeats
from launchplan.lint.shell import Token
from launchplan.lint.text import SourceFile
from launchplan.source import problem

MAX_CHARACTERS = 2_000_000
"""More than any script has."""


@dataclass(frozen=True, slots=True)
class LintedFile:
    """A file's commands and what was found."""

    file: SourceFile
    kind: str
    judged: tuple[Judged, ...]
    findings: tuple[Finding, ...]
    """Worst first, then in the order of the file."""
    readable: bool = True
    """Whether the file could be read as what it is."""

    @property
    def unknown_models(self) -> tuple[str, ...]:
        """What the commands load and nobody knows anything of: their layout and memory are not judged."""
        plans = [each.plan for each in self.judged if each.plan is not None]
        unknown = [
            plan.resolved.deployment for plan in plans if plan.resolved.deployment.architecture is None
        ]
        return tuple(name for name in dict.fromkeys(each.checkpoint for each in unknown) if name != NO_MODEL)


def lint_text(
    text: str,
    name: str,
    site: Site,
    *,
    kind: str | None = None,
    engine: str | None = None,
    env: Mapping[str, str] | None = None,
) -> LintedFile:
    """Check every command in a text; `engine` is the one that an unknown image starts, `env` what all get.

    What cannot be read as its kind is in the findings (REC), with its place.
    """
    file = SourceFile(name, text.removeprefix("\ufeff"))
    kind = kind or kind_of(name, file.text)
    search = Search(file, engine)
    try:
        _check_text(file)
        find_text(file.whole, kind, search)
    except InputError as error:
        return LintedFile(file, kind, (), error.findings, readable=False)
    outer = {key: Token(value, 0, 0) for key, value in (env or {}).items()}
    launches = [
        replace(each, env=outer | dict(each.env)) if outer else each for each in _once(search.launches)
    ]
    pins = {name: pinned_version(file.text, name) for name in ("vllm", "sglang")}
    launches = [_pinned(each, pins) for each in launches]
    judged = without_repeats(without_idle(tuple(judge(launch, site, file) for launch in launches)))
    findings = [finding for each in judged for finding in each.findings]
    findings += several_findings(judged, file)
    engines = Counter(each.launch.engine for each in judged if _takes_links(each.launch))
    notes = [*search.notes, *service_notes(engines, dict(search.services)), *ray_notes(judged, search.rays)]
    findings += [note.finding(file.location(note.start)) for note in notes]
    findings += pool_findings(judged, file)
    findings += search.unreadable
    readable = not search.unreadable and not any(note.code == "CMD105" for note in search.notes)
    return LintedFile(file, kind, judged, worst_first(findings), readable)


def _check_text(file: SourceFile) -> None:
    """Raise `InputError` for what is no text."""
    if len(file.text) > MAX_CHARACTERS:
        raise InputError(
            (problem("REC001", f"{len(file.text):,} characters are too many", Location(file.name)),)
        )
    place = file.text.find("\0")
    if place >= 0:
        raise InputError((problem("REC001", "byte 0x00 is no text", file.location(place)),))


def _pinned(launch: Launch, pins: Mapping[str, str | None]) -> Launch:
    """Give a launch the version that the file pins, where nothing nearer says one."""
    version = launch.around.version or pins[launch.engine]
    return replace(launch, around=replace(launch.around, version=version))


def _takes_links(launch: Launch) -> bool:
    container = launch.around.container
    if container is None or container.kind != "kubernetes" or "VLLM_PORT" in launch.env:
        return False
    return container.service_links


def _once(launches: list[Launch]) -> list[Launch]:
    """Leave out a launch that an alias brings a second time."""
    seen: dict[tuple[int, ...], Launch] = {}
    for launch in launches:
        seen.setdefault((launch.program, *(token.start for token in launch.tokens)), launch)
    return list(seen.values())
