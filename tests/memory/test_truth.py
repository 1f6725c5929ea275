"""Budgets against what engines logged: the table that docs/memory.md shows."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

import pytest

from launchplan import catalog
from launchplan.catalog.calibration import EngineCalibration, Spread
from tests.memory.calibrate import FILE, Fit, fitted_lines, groups, held_out, written
from tests.memory.graphs import GRAPHS, fitted, gib_of, held_out_graphs, interval
from tests.memory.page import page_table
from tests.memory.truth import ROWS, outcome, predicted

PAGE = Path(__file__).parents[2] / "docs" / "memory.md"
OUTCOMES = [outcome(row) for row in ROWS]
UNSEEN = held_out(ROWS)
BY_ENGINE = {row["id"]: row["engine"] for row in ROWS}
# The log's model or format is another than the nearest one that is known.
UNSURE = {each.row["id"] for each in OUTCOMES if not each.row.get("sure", True)}


def test_the_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    print(page_table(OUTCOMES, UNSEEN))  # noqa: T201 # who runs it with -s reads it
    assert "held out" in capsys.readouterr().out


def test_weights_of_known_checkpoints() -> None:
    errors = {each.row["id"]: abs(each.weights) for each in OUTCOMES if each.weights is not None}
    sure = {name: error for name, error in errors.items() if name not in UNSURE}
    assert median(sure.values()) <= 0.01
    assert {name for name, error in sure.items() if error > 0.03} == set()


def test_tokens_from_the_logged_pool() -> None:
    errors = [abs(each.tokens_from_pool) for each in OUTCOMES if each.tokens_from_pool is not None]
    assert sum(error <= 0.01 for error in errors) >= 0.9 * len(errors)


def test_pool_from_flags_alone() -> None:
    known = [each for each in OUTCOMES if each.pool is not None]
    assert median(abs(each.pool) for each in known if each.pool is not None) <= 0.08
    assert sum(each.inside is True for each in known) >= 0.9 * len(known)


def test_pool_of_logs_that_the_figures_have_not_seen() -> None:
    known = [each for each in UNSEEN.values() if each.pool is not None]
    assert median(abs(each.pool) for each in known if each.pool is not None) <= 0.08
    assert sum(each.inside is True for each in known) >= 0.9 * len(known)


def test_logs_of_one_report_or_model_are_held_out_together() -> None:
    by_name = {row["id"]: number for number, group in enumerate(groups(ROWS)) for row in group}
    assert by_name["M051"] == by_name["M033"] == by_name["M045"]  # one report
    assert by_name["M093"] == by_name["M109"] == by_name["L04"]  # one model
    assert by_name["M103"] != by_name["M105"]
    assert len(by_name) == len(ROWS)


def test_the_catalog_has_the_figures_that_the_logs_give(update_golden: bool) -> None:
    current = FILE.read_text("utf-8")
    fitted = written(current, fitted_lines(Fit(ROWS, catalog.calibration()).calibration()))
    if update_golden:
        FILE.write_text(fitted, "utf-8")
    else:
        assert current == fitted


def test_kimi_k3_on_sixteen_h200_from_flags_alone() -> None:
    (row,) = (each for each in OUTCOMES if each.row["id"] == "K3-H200")
    assert row.pool is not None
    assert abs(row.pool) <= 0.08
    assert row.weights is not None
    assert abs(row.weights) <= 0.01


def test_the_page_shows_the_table(update_golden: bool) -> None:
    page = PAGE.read_text("utf-8")
    before, begin, rest = page.partition("<!-- table -->\n")
    _, end, after = rest.partition("<!-- end of table -->\n")
    assert begin
    assert end
    current = before + begin + page_table(OUTCOMES, UNSEEN) + end + after
    if update_golden:
        PAGE.write_text(current, "utf-8")
    else:
        assert page == current


def test_the_page_says_why_rows_are_missed() -> None:
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("- ")]
    explained = {name for line in lines for name in line[2:].partition(":")[0].split(", ")}
    missed = {
        each.row["id"]
        for each in OUTCOMES
        if each.inside is False
        or (each.weights is not None and abs(each.weights) > 0.03)
        or (each.tokens_from_pool is not None and abs(each.tokens_from_pool) > 0.01)
    }
    assert missed <= explained


def test_calibrated_figures_name_logs_that_stand_in_the_table() -> None:
    known = {row["id"] for row in (*ROWS, *GRAPHS)}
    calibration = catalog.calibration()
    parts: list[Spread] = []
    for value in (*calibration.__dict__.values(), *calibration.vllm.__dict__.values()):
        if isinstance(value, EngineCalibration):
            parts += [each for each in value.__dict__.values() if isinstance(each, Spread)]
        elif isinstance(value, Spread):
            parts.append(value)
    named = {
        word.strip(":,.")
        for part in parts
        for word in part.source.split()
        if re.fullmatch(r"[MLRG]\d\d+", word.strip(":,."))
    }
    assert named <= known


def test_no_launch_that_started_would_be_refused() -> None:
    started = [row for row in ROWS if "total" in row and "weights" not in row]
    memories = {row["id"]: predicted(row) for row in started}
    assert {name for name, memory in memories.items() if memory.budget.pool.bytes.high <= 0} == set()
    longest = {row["id"]: memories[row["id"]].capacity.of("max_model_len") for row in started}
    refused = {name for name, each in longest.items() if each is not None and each.requests.high < 1}
    # SGLang starts with a pool below its context.
    assert {name for name in refused if BY_ENGINE[name] == "vllm"} == set()


def test_graphs_of_logs_that_the_figures_have_not_seen() -> None:
    held = list(held_out_graphs())
    inside = [row["id"] for row, (_, low, high) in held if low <= gib_of(row) <= high]
    assert len(inside) >= 0.9 * len(held)


def test_graphs_lie_in_the_interval_of_the_figures() -> None:
    figures = fitted(GRAPHS)
    for row in GRAPHS:
        middle, low, high = interval(row, figures)
        assert low <= middle <= high
        assert low <= gib_of(row) <= high, row["id"]
