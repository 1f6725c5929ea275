"""Workloads as people write them, and the sizing that follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from launchplan import api
from launchplan.errors import InputError
from launchplan.fit.phases import shares
from launchplan.fit.shortlist import shortlist
from launchplan.fit.sizing import resident_tokens, size
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
        ("", "'' is no workload"),
        ("9" * 30 + "x8k", "asks for too many requests of 8,000 tokens"),
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


def test_prefill_and_decode_are_sized_apart() -> None:
    workload = {"concurrency": 40, "prompt_tokens": 12_000, "output_tokens": 800}
    fits = api.fit(
        "Qwen/Qwen3-32B", gpu="h200", checkpoint="Qwen/Qwen3-32B", workload=workload, max_gpus=8, derived=True
    )
    sizing = size(fits)
    assert sizing is not None
    assert sizing.offer in shortlist(fits)
    offer, found = sizing.offer, shares(fits, sizing.offer)
    entry = offer.judged.question.entry
    assert found is not None
    assert entry is not None
    assert entry.parameters.total is not None
    # bf16 weights on a GPU of 989 TFLOPS; two operations a parameter and token
    assert found.prefill_gpu_s == pytest.approx(12_000 * 2 * entry.parameters.total / 989e12)
    assert offer.judged.tokens_per_s is not None
    assert found.decode_gpu_s == pytest.approx(800 * offer.candidate.gpus / offer.judged.tokens_per_s)
    (lines,) = (step.lines for step in sizing.steps if step.title == "prefill and decode")
    assert lines[0].endswith("(12,000 tokens each): from 1xh200")
    assert lines[1].startswith("decode holds the 512,000 resident tokens: ")
    assert lines[2].startswith(
        f"at their peak, GPUs take {found.prefill_gpu_s:.2f} s of one for 12,000 prompt tokens"
    )
    assert lines[3].startswith("that is about as many GPUs for one as for the other: ")


def test_without_lengths_the_phases_are_not_compared() -> None:
    fits = api.fit("Qwen/Qwen3-8B", gpu="h200", workload="8x4k", max_gpus=1, derived=True)
    sizing = size(fits)
    assert sizing is not None
    assert shares(fits, sizing.offer) is None
    (lines,) = (step.lines for step in sizing.steps if step.title == "prefill and decode")
    assert lines[2] == "with prompt_tokens and output_tokens in a workload file the two are compared"


def test_long_answers_need_more_of_decode() -> None:
    workload = {"concurrency": 40, "prompt_tokens": 1_000, "output_tokens": 9_000}
    fits = api.fit("Qwen/Qwen3-8B", gpu="h200", workload=workload, max_gpus=1, derived=True)
    sizing = size(fits)
    assert sizing is not None
    found = shares(fits, sizing.offer)
    assert found is not None
    assert found.decode_gpu_s > 2 * found.prefill_gpu_s
    (lines,) = (step.lines for step in sizing.steps if step.title == "prefill and decode")
    times = found.decode_gpu_s / found.prefill_gpu_s
    assert lines[3].startswith(f"that is about {times:.1f} GPUs of decode for one of prefill: ")


def test_of_a_version_whose_defaults_are_not_known_it_is_said() -> None:
    fits = api.fit("Qwen/Qwen3-8B", gpu="h100", version="0.20.2", max_gpus=1, derived=True)
    assert [miss.reason for miss in fits.misses] == [
        "what vllm 0.20.2 settles by itself is not known: name a newer version"
    ]
