"""What a person sees who prints a report: the findings, not the facts behind them."""

from __future__ import annotations

from launchplan import api

RECIPE = {
    "launchplan": 1,
    "name": "shown",
    "model": "Qwen/Qwen3-32B",
    "engine": {"name": "vllm", "version": "0.33.0"},
    "hardware": {"gpu": "h100", "gpus_per_node": 8},
    "parallel": {"tp": 6},
}


def test_a_report_prints_its_findings_alone() -> None:
    report = api.check(RECIPE)
    assert report.findings
    assert repr(report) == f"Report(findings={report.findings!r})"


def test_a_plan_prints_its_findings_alone() -> None:
    plan = api.check(RECIPE).plan
    assert plan is not None
    assert repr(plan) == f"Plan(findings={plan.findings!r})"
    assert repr(plan.resolved.deployment) == (
        "Deployment(engine='vllm', version='0.33.0', checkpoint='Qwen/Qwen3-32B')"
    )
