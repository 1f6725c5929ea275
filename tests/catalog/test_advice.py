"""What publishers tell of a model: the switch of every one that has it, and names that the catalog knows."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from launchplan import catalog
from launchplan.catalog import gpus, models
from launchplan.catalog.models import ModelEntry

HERE = Path(__file__).parent
SWITCHES = yaml.safe_load((HERE / "switches.yaml").read_text(encoding="utf-8"))
ENTRIES = [entry for entry in models() if entry.scores or entry.speeds or entry.issues]


def test_switches_are_those_of_the_publishers() -> None:
    made = {
        entry.id: [each.keyword, each.enabled, each.disabled, each.by_default]
        for entry in models()
        if (each := entry.thinking) is not None
    }
    assert made == {
        name: [group["keyword"], group.get("enabled", True), group.get("disabled", False), group["default"]]
        for group in SWITCHES
        for name in group["models"]
    }


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_results_and_issues_are_of_things_in_the_catalog(entry: ModelEntry) -> None:
    known = {each.id for each in entry.checkpoints}
    tested = {score.checkpoint for score in entry.scores} | {speed.checkpoint for speed in entry.speeds}
    assert (tested - {None}) | {name for issue in entry.issues for name in issue.checkpoints} <= known
    assert all(catalog.gpu(speed.gpu) is not None for speed in entry.speeds)
    words = {word for gpu in gpus() for word in (gpu.id, gpu.arch, gpu.vendor)}
    assert {word for issue in entry.issues for word in issue.gpus} <= words


@pytest.mark.parametrize("entry", models(), ids=lambda entry: entry.id)
def test_the_default_effort_is_said_once(entry: ModelEntry) -> None:
    assert len(set(entry.reasoning_effort)) == len(entry.reasoning_effort)
    assert entry.thinking is None or entry.thinking.enabled != entry.thinking.disabled
