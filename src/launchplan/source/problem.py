"""Findings about the text of a file itself: it cannot be read as what it should be."""

from __future__ import annotations

from launchplan.finding import Finding, KeyPath, Location, Severity

PROBLEMS = {
    "REC001": ("unreadable-file", "the file is missing, not text, or too large to be a recipe"),
    "REC002": ("not-yaml", "the text is not YAML"),
    "REC003": ("duplicate-key", "a key stands twice in one mapping"),
    "REC004": ("wrong-format-version", "the file is of another format version, or does not say which"),
    "REC005": ("unknown-key", "a key that the format does not have"),
    "REC006": ("wrong-type", "a value of the wrong type"),
    "REC007": ("missing-key", "a key that must be there"),
    "REC008": ("wrong-value", "a value out of its range or choices"),
    "REC009": ("bad-override", "a `--set` that names no key or holds no value"),
}
"""Codes of unreadable input with their name and meaning; each of them ends with exit code 2."""


def problem(
    code: str, message: str, location: Location | None = None, path: KeyPath = (), fix: str | None = None
) -> Finding:
    """Make the error finding of an unreadable input."""
    return Finding(code, PROBLEMS[code][0], Severity.ERROR, message, path, location, fix)
