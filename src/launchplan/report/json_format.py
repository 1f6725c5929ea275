"""Findings as one JSON object, for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from launchplan import __version__
from launchplan.finding import Severity
from launchplan.report.types import Checked, totals

if TYPE_CHECKING:
    from launchplan.finding import Finding

FORMAT_VERSION = 1


def json_report(
    checks: Sequence[Checked], *, noun: str = "recipes", more: Mapping[str, object] | None = None
) -> str:
    """Print recipes (or other files) with their findings; keys stay, new ones may come.

    `more` are keys of the report beside them.
    """
    counts = totals(checks)
    report = {
        "format": FORMAT_VERSION,
        "launchplan": __version__,
        "ok": counts.errors == 0,
        "errors": counts.errors,
        "warnings": counts.warnings,
        "infos": counts.infos,
        noun: [_recipe(check) for check in checks],
        **(more or {}),
    }
    return json.dumps(report, indent=2) + "\n"


def _recipe(check: Checked) -> dict[str, object]:
    return {
        "file": check.file,
        "ok": not any(finding.severity is Severity.ERROR for finding in check.findings),
        "findings": [_finding(finding) for finding in check.findings],
        "not_run": [rule.code for rule in check.not_run],
    }


def _finding(finding: Finding) -> dict[str, object]:
    place = finding.location
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.word,
        "message": finding.message,
        "key": finding.key,
        "path": list(finding.path),
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "fix": finding.fix,
        "engine": finding.engine,
        "source": finding.source,
        "at": finding.at,
    }
