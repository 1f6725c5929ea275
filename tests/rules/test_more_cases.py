"""Rules that have more than one thing to say: variants of a small recipe, and all that is said of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan import catalog
from launchplan.pipeline import make_plan
from launchplan.rules.moved_variables import BY_ENGINE, Moved
from launchplan.rules.spelling import misspelled

CASES = yaml.safe_load((Path(__file__).parent / "more_cases.yaml").read_text(encoding="utf-8"))
ROWS = [(code, name, case) for code, cases in CASES.items() for name, case in cases.items()]
BASE: dict[str, Any] = {
    "launchplan": 1,
    "name": "case",
    "model": "meta-llama/Llama-3.1-8B",
    "engine": {"name": "vllm", "version": "0.33.0"},
    "hardware": {"gpu": "h200", "nodes": 1, "gpus_per_node": 8},
}


@pytest.mark.parametrize(("code", "name", "case"), ROWS, ids=[f"{code}-{name}" for code, name, _ in ROWS])
def test_all_that_is_said(code: str, name: str, case: dict[str, Any]) -> None:
    findings = [each for each in make_plan(BASE | case["recipe"]).findings if each.code == code]
    assert [f"{each.key}: {each.message}; {each.fix}" for each in findings] == case["found"], name


@pytest.mark.parametrize(
    ("engine", "name", "moved"),
    [(engine, name, moved) for engine, table in BY_ENGINE.items() for name, moved in table.items()],
)
def test_moved_variable_is_gone_and_its_flag_is_there(engine: str, name: str, moved: Moved) -> None:
    facts = catalog.engine_facts(engine, catalog.versions(engine)[-1])
    assert facts is not None
    assert facts.variable(name) is None
    flag = facts.find(f"--{moved.key.partition('.')[0]}")
    assert flag is not None
    assert flag.is_json == ("." in moved.key)
    assert moved.value is None or "." in moved.key or not flag.choices or moved.value in flag.choices


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Qwen/Qwen3-32B-FP9", None),
        ("Qwen/Qwen3-32B-AQW", "Qwen/Qwen3-32B-AWQ"),
        ("qwen/qwen3_32b_awq", "Qwen/Qwen3-32B-AWQ"),
        ("Qwenn/Qwen3-32B-FP8", "Qwen/Qwen3-32B-FP8"),
        ("nvidia/Qwen3-32B-FP8", None),
        ("Qwen/Qwen3-32B-FP4", None),
        ("Qwen/Qwen3-23B-FP8", None),
        ("Qwen3-32B-FP8", "Qwen/Qwen3-32B-FP8"),
        ("anything", None),
    ],
)
def test_only_a_misspelled_name_is_corrected(name: str, meant: str | None) -> None:
    known = ["Qwen/Qwen3-32B", "Qwen/Qwen3-32B-FP8", "Qwen/Qwen3-32B-AWQ"]
    assert misspelled(name, known) == meant


def test_a_line_with_a_secret_is_quoted_by_no_finding() -> None:
    recipe = """\
launchplan: 1
name: case
model: meta-llama/Llama-3.1-8B
engine: {name: vllm, version: "0.33.0"}
hardware: {gpu: h200, nodes: 1, gpus_per_node: 8}
parallel: {tp: 4}
env: {HF_TOKEN: hf_0123456789abcdef, VLLM_NO_SUCH: "1"}
"""
    findings = {each.code: each.quotable for each in make_plan(recipe).findings}
    assert findings == {"OPS101": False, "ENG107": False, "PAR107": True, "OPS102": True}


def test_no_message_shows_a_secret() -> None:
    hidden = "sk-" + "0123456789abcdefghij"
    recipe = BASE | {
        "model": hidden,
        "checkpoint": hidden,
        "hardware": {"gpu": hidden, "nodes": 1, "gpus_per_node": 8, "fabric": hidden},
        "serve": {"tool_parser": hidden, "kv_cache_dtype": hidden, "quantization": hidden, "dtype": hidden},
        "args": {hidden: 1, "uvicorn-log-level": hidden, "max-num-seqs": hidden, "moe-backend": hidden},
        "speculative": {"method": hidden, "tokens": 1},
        "env": {"A": hidden},
    }
    findings = make_plan(recipe).findings
    assert "OPS101" in {each.code for each in findings}
    assert [each for each in findings if hidden in f"{each.message} {each.fix}"] == []
