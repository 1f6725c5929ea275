"""What `launchplan fit` offers, as the engines themselves were asked about it."""

from __future__ import annotations

from typing import Any

import pytest

from launchplan import api, catalog
from launchplan.api import Severity
from tests.conformance.compare import COMES_TO
from tests.conformance.offers.launches import launches_of
from tests.conformance.offers.rows import APART, DATA, counted, read_counts, read_rows, rows_of

COUNTS = read_counts()
_SAMPLE = 50
"""Rows of an engine that are judged again."""


@pytest.mark.parametrize("counts", COUNTS, ids=lambda counts: counts["engine"])
def test_counts_are_those_of_the_rows(counts: dict[str, Any]) -> None:
    rows = read_rows(f"{counts['engine']}-{counts['version']}")
    assert {name: counts[name] for name in counted(rows)} == counted(rows)
    others = sum(each["count"] for each in (*counts["apart"], *counts["refused"]))
    assert counts["accepted"] + others == counts["asked"]
    assert counts["refused"] == []
    assert counts["version"] in catalog.versions(counts["engine"])
    assert len({(row["model"], row["gpu"], row["gpus"], *row["args"]) for row in rows}) == len(rows)


def test_every_engine_was_asked() -> None:
    assert {path.name for path in DATA.iterdir()} == {
        f"{counts['engine']}-{counts['version']}.jsonl.gz" for counts in COUNTS
    }
    assert {counts["engine"] for counts in COUNTS} == {"vllm", "sglang"}


@pytest.mark.parametrize("counts", COUNTS, ids=lambda counts: counts["engine"])
def test_rules_take_what_the_engine_took(counts: dict[str, Any]) -> None:
    engine, version = counts["engine"], counts["version"]
    rows = [row for row in read_rows(f"{engine}-{version}") if row.get("ok")]
    for row in rows[:: max(1, len(rows) // _SAMPLE)]:
        model = [row["model"]] if engine == "vllm" else ["--model-path", row["model"]]
        report = api.lint(
            [engine, "serve", *model, *row["args"]], gpu=row["gpu"], gpus_per_node=row["gpus"], version=version,
            env=row.get("env"), memory=False,
        )  # fmt: skip
        errors = [each for each in report.findings if each.severity is Severity.ERROR]
        assert [each.code for each in errors if COMES_TO[each.at or "config"] <= COMES_TO["config"]] == [], (
            row
        )


def test_launches_are_the_heads_commands_of_offers() -> None:
    rows = list(launches_of("vllm", ["Qwen/Qwen3-8B", "nobody/nothing"], 12))
    assert len(rows) == len({row["id"] for row in rows}) == 12
    assert {row["model"] for row in rows} == {"Qwen/Qwen3-8B"}
    assert all(not {"--headless"} & {*row["args"]} for row in rows)
    wide = [row["args"] for row in rows if "--nnodes" in row["args"]]
    assert all(args[args.index("--node-rank") + 1] == "0" for args in wide)


def test_what_was_refused_is_counted_by_its_place() -> None:
    launch = {
        "model": "m",
        "args": ["-tp", "2"],
        "gpu": "h200",
        "gpus": 2,
        "env": {},
        "kind": [],
        "draft": None,
    }
    launches = [launch | {"id": name} for name in "abcd"] + [launch | {"id": "e", "draft": "drafter"}]
    place = next(iter(APART))
    verdicts = [{"id": "a", "ok": True}, {"id": "b", "ok": False, "where": place},
                {"id": "c", "ok": False, "where": "vllm/config/parallel.py:1"}]  # fmt: skip
    found = counted(rows_of(launches, verdicts))
    assert (found["asked"], found["accepted"], found["not_asked"]) == (3, 1, 1)
    assert found["apart"] == [{"where": place, "count": 1, "why": APART[place]}]
    assert found["refused"] == [{"where": "vllm/config/parallel.py:1", "model": "m", "count": 1}]
