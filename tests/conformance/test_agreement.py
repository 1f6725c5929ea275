"""Our verdicts against those of the engines themselves, launch by launch.

`agreement/` holds what was counted. A count that changes, for the worse or for the better, fails until
`--update-golden` writes it anew; a stage that once reached its goal may not fall below it again.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
import yaml

from launchplan.report.conformance import agreement_text, stages_of
from launchplan.rules import RULES
from tests.conformance.compare import differences, judge
from tests.conformance.rows import FOLDER, Recording, recordings

AGREEMENT = FOLDER / "agreement"
DELIBERATE = yaml.safe_load((FOLDER / "deliberate.yaml").read_text(encoding="utf-8"))
GOAL_PERCENT = {"config": 99.9, "worker": 99.5}


def recorded(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((AGREEMENT / f"{name}.json").read_text(encoding="utf-8"))
    return data


def floor_percent(stage: str, reached: float, old: float) -> float:
    """Give what may not be undercut any more: the best that was reached, up to the goal."""
    return max(old, min(GOAL_PERCENT[stage], int(reached * 100) / 100))


@pytest.mark.parametrize("recording", recordings(), ids=lambda recording: recording.name)
def test_verdicts_agree(
    recording: Recording, update_golden: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = frozenset(entry["code"] for entry in DELIBERATE if recording.engine in entry["engines"])
    tally = judge(recording, listed)
    found = tally.as_data()
    (stage,) = stages_of({recording.name: found})
    with capsys.disabled():
        sys.stdout.write(f"\n{agreement_text(stage)}")
    for (kind, name), example in sorted(tally.examples.items()):
        sys.stdout.write(f"{kind} {name}: {example}\n")
    path = AGREEMENT / f"{recording.name}.json"
    floor = recorded(recording.name)["floor_percent"] if path.exists() else 0.0
    found["floor_percent"] = floor_percent(recording.stage, stage.percent, floor)
    assert stage.percent >= floor
    if update_golden:
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert list(differences(recorded(recording.name), found)) == []
    assert {*found["deliberate"]} <= listed


def test_every_recording_is_counted() -> None:
    counted = {path.stem for path in AGREEMENT.glob("*.json")}
    assert counted == {recording.name for recording in recordings()}


def test_deliberate_disagreements_are_rules() -> None:
    rules = {rule.code: rule for rule in RULES}
    for entry in DELIBERATE:
        assert {*entry["engines"]} <= {*rules[entry["code"]].engines}, entry["code"]
        assert entry["does"]
        assert entry["evidence"]


@pytest.mark.parametrize("recording", recordings(), ids=lambda recording: recording.name)
def test_counts_add_up(recording: Recording) -> None:
    (stage,) = stages_of({recording.name: recorded(recording.name)})
    apart = sum(sum(counts.values()) for _, counts in stage.apart)
    assert stage.rows + apart == len(recording.rows())
