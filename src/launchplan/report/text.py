"""Findings for a person at a terminal: the place, the line it is about, the cure, the source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from launchplan.finding import Finding, Location, Severity
from launchplan.report.escape import columns, is_printable, printable
from launchplan.report.types import Checked, totals
from launchplan.units import plural

if TYPE_CHECKING:
    from launchplan.rules import Rule

_RESET = "\x1b[0m"
_STYLES = {
    Severity.ERROR: "\x1b[1;31m",
    Severity.WARNING: "\x1b[1;33m",
    Severity.INFO: "\x1b[1;36m",
}
_BOLD, _GREEN = "\x1b[1m", "\x1b[1;32m"
_WIDTH = 100
"""Characters of a source line that are shown; of a longer line, the part around the place."""
_TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^\s,\[\]{}#:]+""")
"""A word of YAML, with its quotes: what the marks below a source line cover."""
_STAGES = {
    "ResolvedPool": "the recipe could not be resolved",
    "Layout": "the layout could not be placed",
    "PoolLayout": "the layout could not be placed",
    "Launch": "the layout could not be placed",
    "EngineView": "no flags are known of this engine version",
    "PoolViews": "no flags are known of this engine version",
    "VllmView": "no flags are known of this engine version",
    "SglangView": "no flags are known of this engine version",
}
"""Why the rules of a stage are not run, by the name of its type; a launch only lacks its layout."""

Paint = Callable[[str, str], str]


def text_report(checks: Sequence[Checked], *, color: bool = False, noun: str = "recipe") -> str:
    """Print the findings of several recipes, what was not checked, and how many findings there are."""
    lines: list[str] = []
    for check in checks:
        for finding in check.findings:
            lines += [*_finding_lines(finding, check, _painter(color=color)), ""]
        prefix = f"{printable(check.file)}: " if len(checks) > 1 else ""
        lines += (f"{prefix}not run: {reason}" for reason in _not_run(check.not_run))
    counts = str(totals(checks))
    lines.append(f"{plural(len(checks), noun)}: {counts}" if len(checks) > 1 else counts)
    return "\n".join(lines) + "\n"


def finding_text(finding: Finding, check: Checked, *, color: bool = False) -> str:
    """Print one finding with the line that it is about."""
    return "\n".join(_finding_lines(finding, check, _painter(color=color))) + "\n"


def _painter(*, color: bool) -> Paint:
    return (lambda text, style: f"{style}{text}{_RESET}") if color else (lambda text, _: text)


def _finding_lines(finding: Finding, check: Checked, paint: Paint) -> Iterator[str]:
    place = finding.location or Location(check.file)
    word = paint(finding.severity.word, _STYLES[finding.severity])
    code = paint(finding.code, _BOLD)
    yield f"{printable(str(place))}: {word} {code} {finding.name}: {printable(finding.message)}"
    if place.line is not None and finding.quotable:
        yield from _excerpt(check.line(place.file, place.line), place.column, paint)
    if finding.fix:
        yield f"  fix: {printable(finding.fix)}"
    if finding.source:
        yield f"  source: {printable(finding.source)}"


def _excerpt(line: str, column: int | None, paint: Paint) -> Iterator[str]:
    """Show a source line with marks below the word that stands at a column."""
    if not line.strip():
        return
    start = min(column or 1, len(line) + 1) - 1
    found = _TOKEN.match(line, start)
    token = line[start : found.end() if found else start + 1]
    first = max(0, start - _WIDTH // 2) if len(line) > _WIDTH else 0
    before, shown = _plain(line[first:start]), _plain(line[first : first + _WIDTH])
    lead, tail = "..." if first else "", "..." if first + _WIDTH < len(line) else ""
    marks = min(max(1, columns(_plain(token))), max(1, columns(shown) - columns(before)))
    yield f"    {lead}{shown}{tail}".rstrip()
    yield " " * (4 + len(lead) + columns(before)) + paint("^" * marks, _GREEN)


def _plain(text: str) -> str:
    """Keep one column a character where a character would not show: marks stay below their word."""
    return "".join(char if is_printable(char) else " " if char == "\t" else "\ufffd" for char in text)


def _not_run(rules: Sequence[Rule]) -> Iterator[str]:
    reasons: dict[str, int] = {}
    for rule in rules:
        reason = _STAGES.get(rule.stage.__name__, "what they look at could not be built")
        reasons[reason] = reasons.get(reason, 0) + 1
    for reason, count in reasons.items():
        yield f"{plural(count, 'rule')}, {reason}"
