"""Lines of engines' logs as figures of ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from launchplan.memory.budget import Device
from launchplan.memory.logged import EngineLog
from launchplan.observe import read_log
from launchplan.observe.terms import measured_terms
from launchplan.units import GIB

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "logs.yaml").read_text("utf-8"))
BY_NAME = {case["name"]: case["text"] for case in CASES}
H100 = Device(int(79.65 * GIB))


def log_of(name: str) -> EngineLog:
    found = read_log(BY_NAME[name])
    assert found is not None
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_wordings(case: dict[str, Any]) -> None:
    log = read_log(case["text"])
    assert log is not None
    assert (log.engine, log.version, log.starts) == (case["engine"], case["version"], case.get("starts", 1))
    found = {rank.rank: {name: each.value for name, each in rank.figures.items()} for rank in log.ranks}
    assert found == {rank: pytest.approx(figures) for rank, figures in case["ranks"].items()}


def _terms(name: str) -> dict[str, float]:
    return {each.name: each.gib for each in measured_terms(log_of(name), H100, "log")}


def test_peak_that_holds_the_estimate_of_the_graphs() -> None:
    # 72.85 wanted - 8.41 consumed - 3.9 peak is the pool, so the estimate of 1.55 is part of the peak.
    assert _terms("vllm 0.33, ranks of one replica") == {
        "driver": 0.46,
        "weights": 7.6,
        "non-torch": 0.9,
        "cuda graphs": 1.55,
        "activations": 2.35,
        "pool": 60.5,
    }


def test_terms_of_older_wordings() -> None:
    assert _terms("vllm 0.11, the usage by weight, activation and non-torch") == {
        "driver": 0.46,
        "weights": 14.9888,
        "non-torch": 0.39,
        "cuda graphs": 0.67,
        "activations": 1.27,
        "pool": 54.62,
    }
    assert _terms("vllm before its second engine")["activations"] == 1.16


def test_terms_of_sglang() -> None:
    assert _terms("sglang with latents and states") == {
        "driver": 0.0,
        "non-torch": 1.17,
        "weights": 28.51,
        "cuda graphs": 0.13,
        "pool": 38.08,
    }


def test_estimate_that_is_taken_besides_the_peak() -> None:
    text = BY_NAME["vllm 0.33, ranks of one replica"].replace("3.9 GiB for peak", "2.35 GiB for peak")
    log = read_log(text)
    assert log is not None
    found = {each.name: each.gib for each in measured_terms(log, H100, "log")}
    assert (found["cuda graphs"], found["activations"]) == (1.55, 2.35)


def test_lines_that_only_look_like_figures() -> None:
    digits = "9" * 200_000
    assert read_log(f"GPU KV cache size: {digits}\nAvailable KV cache memory: {digits} GiB") is None
    assert read_log("Load weight end. " + "elapsed=" * 50_000) is None


def test_nothing_of_an_engine() -> None:
    assert read_log("") is None
    assert read_log("GPU KV cache size: none\nLoad weight end.\nhello") is None


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    read_log(text)


@given(st.lists(st.sampled_from([line for text in BY_NAME.values() for line in text.splitlines()])))
def test_any_mix_of_lines_is_read(lines: list[str]) -> None:
    log = read_log("\n".join(lines))
    if log is not None:
        assert all(rank.figures for rank in log.ranks)
        measured_terms(log, H100, "log")
