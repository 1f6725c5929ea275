"""What is said of memory in releases whose own defaults are not known exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan import api

CASES = yaml.safe_load((Path(__file__).parent / "memory_of_releases.yaml").read_text(encoding="utf-8"))
ROWS = [(engine, case) for engine, cases in CASES.items() for case in cases]
PROGRAMS = {"vllm": "vllm serve", "sglang": "sglang serve --model-path"}


@pytest.mark.parametrize(
    ("engine", "case"), ROWS, ids=[f"{engine}-{case['version']}-{case['command']}" for engine, case in ROWS]
)
def test_memory_is_judged(engine: str, case: dict[str, Any]) -> None:
    command = f"{PROGRAMS[engine]} {case['command']}"
    report = api.lint(command, gpu=case["gpu"], gpus_per_node=8, version=case["version"])
    assert [each.code for each in report.findings if each.code.startswith("MEM")] == case["found"]
