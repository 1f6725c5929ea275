"""Command lines are read as the engines' own parsers read them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan import catalog
from launchplan.engines.arguments import Arguments, Word, read_arguments
from launchplan.engines.vllm.words import rewrite

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "arguments.yaml").read_text("utf-8"))
VERSIONS = {"vllm": "0.33.0", "sglang": "0.5.23"}


def read(engine: str, texts: list[str]) -> Arguments:
    facts = catalog.engine_facts(engine, VERSIONS[engine])
    assert facts is not None
    words = [Word(text, index) for index, text in enumerate(texts)]
    return read_arguments(facts, rewrite(words) if engine == "vllm" else words)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["words"])
def test_words(case: dict[str, Any]) -> None:
    texts = shlex.split(case["words"])
    arguments = read(case["engine"], texts)
    if "values" in case:
        assert arguments.refusal is None
        assert {name: arguments[name] for name in case["values"]} == case["values"]
        return
    refusal = arguments.refusal
    assert refusal is not None
    assert refusal.message.startswith(case["refusal"])
    assert (None if refusal.index is None else texts[refusal.index]) == case["word"]


def test_defaults_are_there_but_not_given() -> None:
    arguments = read("vllm", ["m", "--seed", "1"])
    assert (arguments["master_port"], "master_port" in arguments, "seed" in arguments) == (29501, False, True)
    assert arguments["no_such_flag"] is None


def test_reading_leaves_nothing_behind() -> None:
    read("vllm", ["m", "--hf-overrides", '{"a": 1}', "-tp", "8"])
    assert read("vllm", ["m"])["hf_overrides"] == {}
    assert read("vllm", ["m"])["tensor_parallel_size"] == 1
