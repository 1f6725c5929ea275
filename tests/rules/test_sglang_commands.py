"""SGLang command lines against the errors that we give for them, all and no other."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan import api
from launchplan.finding import Severity

ROWS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("sglang_commands.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["args"])
def test_command_gets_its_errors(row: dict[str, Any]) -> None:
    words = shlex.split(row["args"])
    if "--tp-size" not in words:
        words = ["--tp-size", "8", *words]
    model = row.get("model", "Qwen/Qwen3-8B")
    report = api.lint(
        ["sglang", "serve", "--model-path", model, *words],
        gpu=row.get("gpu", "h200"),
        gpus_per_node=8,
        version="0.5.23",
    )
    codes = sorted({each.code for each in report.findings if each.severity is Severity.ERROR})
    assert codes == row["codes"]
