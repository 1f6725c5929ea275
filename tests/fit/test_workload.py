"""Workloads as people write them, and the sizing that follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from launchplan.errors import InputError
from launchplan.fit.sizing import resident_tokens
from launchplan.fit.workload import filled, read_workload, window_for
from launchplan.recipe.schema import Workload


@pytest.mark.parametrize(
    ("text", "concurrency", "tokens", "resident"),
    [
        ("50x100k", 50, 100_000, 5_000_000),
        ("200x8k", 200, 8_000, 1_600_000),
        ("200 x 8K", 200, 8_000, 1_600_000),
        ("3x1.5m", 3, 1_500_000, 4_500_000),
        ("1x1", 1, 1, 1),
    ],
)
def test_short_form(text: str, concurrency: int, tokens: int, resident: int) -> None:
    read = read_workload(text)
    assert (read.concurrency, read.context_tokens) == (concurrency, tokens)
    assert resident_tokens(read) == resident


def test_tail_counts_once() -> None:
    workload = read_workload({"concurrency": 10, "context_tokens": 1000, "tail_context_tokens": 5000})
    assert resident_tokens(workload) == 14_000
    assert window_for(workload, 262_144) == 8192


def test_prompt_and_output_make_a_context(tmp_path: Path) -> None:
    file = tmp_path / "workload.yaml"
    file.write_text("workload: {concurrency: 4, prompt_tokens: 3000, output_tokens: 1000, goal: latency}\n")
    workload = read_workload(file)
    assert filled(workload).context_tokens == 4000
    assert window_for(workload, None) == 4096
    assert window_for(Workload(), 1000) is None


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("fifty", "'fifty' is no workload"),
        ("0x100k", "'0x100k' asks for 0 requests of 100,000 tokens"),
        ("50x99999999m", "'50x99999999m' asks for 50 requests of 99,999,999,000,000 tokens"),
        ("missing.yaml", "no such file"),
        ({"concurrent": 5}, "'concurrent' is not a key of this file"),
        ({"concurrency": "5"}, "concurrency"),
    ],
)
def test_what_is_no_workload_is_told(source: str | dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_workload(source)
    assert message in caught.value.findings[0].message
