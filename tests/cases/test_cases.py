"""Public launches with known verdicts: what failed is refused for its reason, what worked is not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan import api, catalog
from launchplan.finding import Finding, Severity

FILES = ("cases.yaml", "more_cases.yaml", "later_cases.yaml")
CASES: list[dict[str, Any]] = [
    case
    for name in FILES
    for case in yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))
]
NEEDS = frozenset({"forks", "model", "other-processes", "tokenizer"})
UNJUDGED = frozenset({"needs", "contested", "missed"})
SEVERITY = {"reject": Severity.ERROR, "warn": Severity.WARNING}


@dataclass(frozen=True, slots=True)
class Found:
    findings: tuple[Finding, ...]

    def codes(self, severity: Severity) -> set[str]:
        return {finding.code for finding in self.findings if finding.severity is severity}


def lint(case: dict[str, Any]) -> Found:
    hardware = case["hardware"]
    findings: list[Finding] = []
    texts = case.get("files", {})
    for command, file in [(each, "<command>") for each in case.get("commands", ())] + [
        (t, n) for n, t in texts.items()
    ]:
        report = api.lint(
            command,
            gpu=hardware.get("gpu"),
            gpus_per_node=hardware.get("gpus_per_node"),
            nodes=hardware["nodes"],
            engine=case["engine"],
            version=case.get("release", case["version"]),
            model_config=config_of(case),
            env=case.get("env"),
            file=file,
        )
        findings += report.findings
    return Found(tuple(findings))


def config_of(case: dict[str, Any]) -> dict[str, Any] | None:
    """Give the model's configuration: `config`, on top of the model's that it was made from (`as`)."""
    entry = catalog.model(case["as"]) if "as" in case else None
    if entry is None:
        return case.get("config")
    return {**entry.config, **case["config"]}


def judged(*verdicts: str) -> list[Any]:
    return [
        pytest.param(case, id=case["id"])
        for case in CASES
        if case["verdict"] in verdicts and not UNJUDGED & {*case}
    ]


@pytest.mark.parametrize("case", judged("reject", "warn"))
def test_what_failed_is_found_for_its_reason(case: dict[str, Any]) -> None:
    severity = Severity.WARNING if "short" in case else SEVERITY[case["verdict"]]
    found = lint(case).codes(severity)
    assert found & {*case["rules"]}


@pytest.mark.parametrize("case", judged("accept", "warn"))
def test_what_started_is_not_refused(case: dict[str, Any]) -> None:
    assert lint(case).codes(Severity.ERROR) == set()


def test_every_case_is_judged_or_says_why_not() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES)
    for case in CASES:
        reasons = {"rules", "needs", "contested", "missed"} & {*case}
        if case["verdict"] == "accept":
            reasons -= {"contested"}
        assert len(reasons) == (0 if case["verdict"] == "accept" else 1), case["id"]
        assert case.get("needs", "model") in NEEDS
