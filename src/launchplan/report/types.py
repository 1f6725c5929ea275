"""What every format is made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from launchplan.finding import Severity
from launchplan.source.problem import PROBLEMS
from launchplan.units import plural

if TYPE_CHECKING:
    from launchplan.finding import Finding
    from launchplan.rules import Rule


@dataclass(frozen=True, slots=True)
class Checked:
    """One recipe and what its check gave."""

    file: str
    findings: tuple[Finding, ...]
    not_run: tuple[Rule, ...] = ()
    """Rules whose stage could not be built."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The text of the files that findings point into, by file name as the findings write it."""

    def line(self, file: str, number: int) -> str:
        """Return one line of a file, empty where the text is not at hand; lines count from 1."""
        lines = self.texts.get(file, "").removeprefix("\ufeff").splitlines()
        return lines[number - 1] if 0 < number <= len(lines) else ""


@dataclass(frozen=True, slots=True)
class Totals:
    """How many findings of each severity there are."""

    errors: int
    warnings: int
    infos: int

    def __str__(self) -> str:
        """Print `1 error, 2 warnings`, or `no findings`."""
        counts = ((self.errors, "error"), (self.warnings, "warning"), (self.infos, "info"))
        return ", ".join(plural(count, noun) for count, noun in counts if count) or "no findings"


def totals(checks: Iterable[Checked]) -> Totals:
    """Count the findings of several checks."""
    found = [finding.severity for check in checks for finding in check.findings]
    return Totals(*(found.count(severity) for severity in (Severity.ERROR, Severity.WARNING, Severity.INFO)))


def titles(rules: Iterable[Rule]) -> dict[str, str]:
    """Map every code to one line about it: those of rules, and those of unreadable input."""
    return {code: meaning for code, (_, meaning) in PROBLEMS.items()} | {
        rule.code: rule.title for rule in rules
    }
