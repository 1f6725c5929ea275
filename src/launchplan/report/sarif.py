"""Findings as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from launchplan import __version__
from launchplan.finding import Finding, Location, Severity
from launchplan.report.types import Checked

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def sarif_report(checks: Sequence[Checked], titles: Mapping[str, str]) -> str:
    """Print one run with all findings; `titles` gives one line about each code."""
    found = [(finding, check) for check in checks for finding in check.findings]
    rules = sorted({finding.code: finding.name for finding, _ in found}.items())
    order = [code for code, _ in rules]
    run = {
        "tool": {
            "driver": {
                "name": "launchplan",
                "version": __version__,
                "rules": [
                    {"id": code, "name": name, "shortDescription": {"text": titles.get(code, name)}}
                    for code, name in rules
                ],
            }
        },
        # Our columns count characters, not UTF-16 units.
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, check, order.index(finding.code)) for finding, check in found],
    }
    return json.dumps({"version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(finding: Finding, check: Checked, index: int) -> dict[str, Any]:
    message = finding.message if finding.fix is None else f"{finding.message}\nfix: {finding.fix}"
    details = {"engine": finding.engine, "source": finding.source, "at": finding.at}
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": message},
        "locations": [_location(finding, check)],
        "properties": {name: value for name, value in details.items() if value is not None},
    }


def _location(finding: Finding, check: Checked) -> dict[str, Any]:
    place = finding.location or Location(check.file)
    inside = place.file in check.texts or place.file == check.file
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.file if inside else check.file)}}
    if inside and place.line is not None:
        physical["region"] = {"startLine": place.line, "startColumn": place.column or 1}
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.path:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.key}]
    return location


def _uri(file: str) -> str:
    """Write a path as a URI; one that begins with `/` becomes a `file:` URI."""
    path = quote(file.replace("\\", "/"), errors="surrogateescape")
    return f"file://{path}" if path.startswith("/") else path
