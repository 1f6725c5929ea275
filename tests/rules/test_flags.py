"""Raw flags: values against the parsers' verdicts, names against versions and neighbours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan.pipeline import make_plan

ENGINES = {"vllm": "0.33.0", "sglang": "0.5.23"}
VALUES = yaml.safe_load((Path(__file__).parent / "flag_values.yaml").read_text(encoding="utf-8"))
ROWS = [
    (engine, row["flag"], value, kind == "ok")
    for engine, rows in VALUES.items()
    for row in rows
    for kind in ("ok", "bad")
    for value in row[kind]
]


def codes(engine: str, version: str, args: dict[str, Any]) -> list[str]:
    recipe = {
        "launchplan": 1,
        "name": "case",
        "model": "meta-llama/Llama-3.1-8B",
        "engine": {"name": engine, "version": version},
        "hardware": {"gpu": "h200", "gpus_per_node": 1},
        "args": args,
    }
    wanted = {"ENG101", "ENG103", "ENG111"}
    return [finding.code for finding in make_plan(recipe).findings if finding.code in wanted]


@pytest.mark.parametrize(("engine", "flag", "value", "ok"), ROWS)
def test_value_is_read_as_the_parser_does(engine: str, flag: str, value: Any, ok: bool) -> None:
    assert codes(engine, ENGINES[engine], {flag: value}) == ([] if ok else ["ENG103"])


@pytest.mark.parametrize(
    ("engine", "version", "flag", "expected"),
    [
        ("vllm", "0.33.0", "max-num-seqs", []),
        ("vllm", "0.33.0", "--max_num_seqs", []),
        ("vllm", "0.33.0", "max-num-se", []),
        ("vllm", "0.33.0", "compilation-config.mode", []),
        ("vllm", "0.33.0", "swap-space", ["ENG101"]),
        ("vllm", "0.15.1", "swap-space", []),
        ("vllm", "0.16.0", "swap-space", []),
        ("vllm", "0.20.0", "swap-space", ["ENG101"]),
        ("vllm", "0.33.0", "device", ["ENG101"]),
        ("vllm", "0.40.0", "brand-new-flag", ["ENG111"]),
        ("vllm", "nightly", "brand-new-flag", ["ENG111"]),
        ("vllm", "0.1.0", "brand-new-flag", []),
        ("sglang", "0.5.23", "enable-ep-moe", ["ENG101"]),
        ("sglang", "0.5.23", "cuda-graph-bs", ["ENG101"]),
        ("sglang", "0.5.23", "page-size", []),
        ("sglang", "0.4.0", "enable-ep-moe", []),
    ],
)
def test_name_is_known_by_version(engine: str, version: str, flag: str, expected: list[str]) -> None:
    assert codes(engine, version, {flag: 1}) == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"max-model-len": 4096}, []),
        (
            {"tp": 2},
            ["ENG102 --tensor-parallel-size belongs to parallel.tp: sizes under args are not placed"],
        ),
        (
            {"max-model-l": 4096, "max-model-len": 8192},
            ["ENG113 max-model-len and max-model-l are the same flag: one of them is lost"],
        ),
        (
            {"max-model-l": 4096, "vllm": {"max-model-len": 8192}},
            ["ENG102 --max-model-len is already set by args.max-model-l"],
        ),
        ({"max-model-len": 4096, "vllm": {"max_model_len": 8192}}, []),
        ({"compilation-config.mode": 3, "compilation-config.cudagraph_mode": "NONE"}, []),
        ({"no-enable-prefix-caching": True, "enable-prefix-caching": True}, ["ENG113 enable-prefix-caching"]),
    ],
)
def test_flags_stand_once(args: dict[str, Any], expected: list[str]) -> None:
    recipe = {
        "launchplan": 1,
        "name": "case",
        "model": "meta-llama/Llama-3.1-8B",
        "engine": {"name": "vllm", "version": "0.33.0"},
        "hardware": {"gpu": "h200", "gpus_per_node": 1},
        "args": args,
    }
    codes = ("ENG102", "ENG113")
    found = [f"{each.code} {each.message}" for each in make_plan(recipe).findings if each.code in codes]
    assert len(found) == len(expected)
    assert all(message.startswith(start) for message, start in zip(found, expected, strict=True))
