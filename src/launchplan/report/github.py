"""Findings as workflow commands, which GitHub shows beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from launchplan.finding import Finding, Location, Severity
from launchplan.report.escape import printable
from launchplan.report.types import Checked

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def github_report(checks: Sequence[Checked]) -> str:
    """Print one workflow command a finding; nothing when there is none."""
    return "".join(f"{_command(finding, check)}\n" for check in checks for finding in check.findings)


def _command(finding: Finding, check: Checked) -> str:
    properties = ",".join(f"{name}={_property(value)}" for name, value in _properties(finding, check))
    message = finding.message if finding.fix is None else f"{finding.message}\nfix: {finding.fix}"
    return f"::{_COMMANDS[finding.severity]} {properties}::{_data(message)}"


def _properties(finding: Finding, check: Checked) -> Iterator[tuple[str, str]]:
    place = finding.location or Location(check.file)
    # An override or standard input is no file of the repository: the annotation stands at the recipe then.
    inside = place.file in check.texts or place.file == check.file
    yield "file", place.file if inside else check.file
    if inside and place.line is not None:
        yield "line", str(place.line)
        if place.column is not None:
            yield "col", str(place.column)
    yield "title", f"{finding.code} {finding.name}"


def _data(text: str) -> str:
    shown = "".join(char if char in "\r\n" else printable(char) for char in text)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
