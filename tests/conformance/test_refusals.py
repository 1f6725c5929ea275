"""Every refusal that the engines are known to make has a rule, also where no recorded launch reaches it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from launchplan import api
from launchplan.finding import Severity
from tests.conformance.rows import FOLDER

TABLE: dict[str, dict[str, Any]] = yaml.safe_load((FOLDER / "refusals.yaml").read_text(encoding="utf-8"))
ROWS = [(release, row) for release, part in TABLE.items() for row in part["refused"]]
PROGRAMS = {"vllm": "vllm serve", "sglang": "sglang serve --model-path"}
REPORTS = FOLDER.parents[2] / "shared" / "oracle"


@pytest.mark.parametrize(("release", "row"), ROWS, ids=[f"{row['place']}" for _, row in ROWS])
def test_the_launch_is_refused(release: str, row: dict[str, Any]) -> None:
    engine, version = release.split()
    report = api.lint(
        f"{PROGRAMS[engine]} {row['command']}",
        gpu=row.get("gpu", "h200"),
        gpus_per_node=8,
        version=version,
        model_config=row.get("config"),
        env=row.get("env"),
    )
    assert row["rule"] in {each.code for each in report.findings if each.severity is Severity.ERROR}


def places_of(engine: str) -> Iterator[str]:
    """List the places that a report names."""
    text = (REPORTS / f"{engine}-report.md").read_text(encoding="utf-8")
    if engine == "vllm":
        tables = text[text.index("## Appendix A") :]
        yield from re.findall(r"^\|[^|]*\|[^|]*\|[^|]*\| \S+?@(\S+?\.py:\d+)", tables, re.MULTILINE)
        return
    tables = text[text.index("## 4.") : text.index("## 5.")]
    for file, line in re.findall(r"^\|[^|]*\|[^|]*\|[^|]*\| `(\S+?\.py):(\d+)", tables, re.MULTILINE):
        yield f"sglang/srt/{file}:{line}"


@pytest.mark.skipif(not REPORTS.is_dir(), reason="the reports are not part of the project")
@pytest.mark.parametrize("release", TABLE)
def test_no_place_is_left_out(release: str) -> None:
    engine, version = release.split()
    recorded: set[str] = set()
    for path in (FOLDER / "agreement").glob(f"{engine}-{version}-*.json"):
        refused = json.loads(path.read_text(encoding="utf-8"))["refused"]
        recorded |= {place for place, counts in refused.items() if counts["rules"]}
    listed = {row["place"] for row in TABLE[release]["refused"]} | {*TABLE[release]["apart"]}
    places = {*places_of(engine)}
    assert len(places) > 100
    assert places - recorded - listed == set()
