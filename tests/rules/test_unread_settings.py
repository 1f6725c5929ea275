"""Checkpoints of which only the format is known: `--quantization` is not compared with what was not read."""

from __future__ import annotations

import pytest

from launchplan import api


def codes(command: str) -> set[str]:
    return {finding.code for finding in api.lint(command, gpu="h200", gpus_per_node=8).findings}


@pytest.mark.parametrize(
    ("checkpoint", "method"),
    [
        ("Qwen/Qwen3-32B-AWQ", "awq"),
        ("Qwen/Qwen3-32B-AWQ", "awq_marlin"),
        ("hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4", "awq_marlin"),
        ("Qwen/Qwen3.5-27B-GPTQ-Int4", "gptq_marlin"),
    ],
)
def test_a_method_that_was_not_read_conflicts_with_none(checkpoint: str, method: str) -> None:
    assert "QNT201" not in codes(f"vllm serve {checkpoint} --quantization {method}")


def test_a_method_that_was_read_conflicts_with_another() -> None:
    assert "QNT201" in codes("vllm serve Qwen/Qwen3-32B-FP8 --quantization modelopt")
