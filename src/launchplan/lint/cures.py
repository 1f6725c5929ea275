"""Say findings in the words of a command line: the fault of its quotes, flags instead of recipe keys."""

from __future__ import annotations

import re
from dataclasses import replace

from launchplan.finding import Finding
from launchplan.lint.found import Launch
from launchplan.lint.text import SourceFile

_RECIPE_WORDS = (
    (re.compile(r"^set ([\w.-]+)(?:: (\S+))? under args instead$"), r"use --\1 \2"),
    (re.compile(r"^add 'tokens: (\d+)' to speculative$"), r"add a number of tokens, such as \1"),
    (re.compile(r"^leave speculative out, "), "draft no tokens, "),
    (re.compile(r", or give fewer GPUs in hardware$"), ", or give it fewer GPUs"),
    (re.compile(r"\bunder args\b"), "as a flag"),
    (re.compile(r"\bin env\b"), "in the environment"),
)
"""Cures that name what a recipe has and a command line has not."""
_NOT_JSON = "not JSON"


def in_words(finding: Finding, launch: Launch, file: SourceFile) -> Finding:
    """Say a finding about a command as its writer would."""
    if finding.message.endswith("expected one argument"):
        return replace(finding, fix="give it a value; one that begins with a dash is joined to it by '='")
    if _NOT_JSON in finding.message or finding.fix == "check the JSON":
        return _about_json(finding, launch, file)
    fix = finding.fix
    for pattern, words in _RECIPE_WORDS if fix else ():
        fix = pattern.sub(words, fix or "").strip()
    return finding if fix == finding.fix else replace(finding, fix=fix)


def _about_json(finding: Finding, launch: Launch, file: SourceFile) -> Finding:
    """Point at the JSON itself, and name the likely fault of its quotes."""
    start = finding.location
    place = next((i for i, t in enumerate(launch.tokens) if file.location(t.start) == start), None)
    if place is None:
        return finding
    flag = launch.tokens[place]
    joined = "=" in flag.text
    value = flag if joined else (launch.tokens[place + 1] if place + 1 < len(launch.tokens) else flag)
    text = flag.text.partition("=")[2] if joined else value.text
    fix = json_fault(text, file.text[value.start : value.end])
    return replace(finding, location=file.location(value.start), fix=fix or finding.fix)


def json_fault(text: str, written: str) -> str | None:  # noqa: PLR0911 # one a fault
    """Guess what went wrong with JSON: the words that the engine gets, and how they stand in the file."""
    stripped = text.strip()
    if re.match(r"""^["']\s*[{\[]""", stripped):
        return "remove the inner quotes: they reach the engine as part of the JSON"
    if re.match(r"(?:--[\w.-]+=)?\{", written) and '"' in written and '"' not in text:
        return "put the JSON in single quotes: without them the shell takes its double quotes away"
    if '\\"' in stripped:
        return 'remove the backslashes: within single quotes they stay, and \\" is no quote of JSON'
    if re.search(r"""[{,\[]\s*'""", stripped):
        return "write JSON with double quotes, and single quotes around all of it"
    if re.search(r"\b(?:True|False|None)\b", stripped):
        return "write true, false and null as JSON does"
    if re.search(r",\s*[}\]]", stripped):
        return "remove the comma before the closing bracket"
    if "\u201c" in stripped or "\u201d" in stripped:
        return "replace the typographic quotes by plain ones"
    if stripped.count("{") != stripped.count("}"):
        return "close each bracket"
    return None
