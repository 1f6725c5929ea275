"""The section of the conformance page about launches that failed or ran in public."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from launchplan.report.tables import markdown_table

_INTRO = """
Launches from public reports, benchmarks and model pages, each with its release and what became of it, in
`tests/cases`. What was refused must be refused for its reason, what only disappointed gets a warning, and
what ran must not be refused; `held` counts those that are so judged.

That they are held now says little of launches that nobody has read yet. `later_cases.yaml` was written down
before the check saw it: of its first 62 refused launches, of releases from two years, 8 were then refused for
their reason, and of the 37 that ran, 3 were refused. After rules for those were written, 27 more were
gathered: 5 of 13 refused launches were found at first sight, and 1 of 14 that ran was refused. Most that is
missed is a fault of one release among those whose source was not read.
"""
_CONTESTED = "Reports that the engine's source, or the release, says otherwise about:"
_MISSED = "What is not found, and what cannot be judged:"
_NEEDS = {
    "forks": "a build that is no release",
    "model": "the model is not named",
    "other-processes": "what else runs on the GPU",
    "tokenizer": "the tokenizer's words",
}


def public_section(files: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Write the blocks: counts by file, then every launch that is contested, missed or not judged."""
    if not files:
        return []
    counts = [_counts(name, cases) for name, cases in files.items()]
    header = ("file", "launches", "refused", "warned", "ran", "held", "contested", "missed", "not judged")
    cases = [case for each in files.values() for case in each]
    blocks = ["## Public launches", _INTRO.strip(), markdown_table(header, counts)]
    blocks += [_CONTESTED, _table(cases, "contested"), _MISSED, _table(cases, "missed", "needs")]
    return blocks


def _counts(name: str, cases: Sequence[Mapping[str, Any]]) -> tuple[object, ...]:
    verdicts = [case["verdict"] for case in cases]
    apart = [sum(key in case for case in cases) for key in ("contested", "missed", "needs")]
    counted = [verdicts.count(verdict) for verdict in ("reject", "warn", "accept")]
    return (f"`{name}`", len(cases), *counted, len(cases) - sum(apart), *apart)


def _table(cases: Iterable[Mapping[str, Any]], *keys: str) -> str:
    rows = [
        (case["id"], case["url"] or "", case["engine"], str(case["version"]), _reason(case, key))
        for case in cases
        for key in keys
        if key in case
    ]
    return markdown_table(("case", "report", "engine", "version", "because"), rows)


def _reason(case: Mapping[str, Any], key: str) -> str:
    text = case.get("note") if key == "needs" and case.get("note") else case[key]
    return " ".join(_NEEDS.get(str(text), str(text)).split())
