"""Command lines are read as the engines' own parsers read them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from launchplan import catalog
from launchplan.engines import arguments
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


VALUES = ("1", "true", "auto", '{"a":1}', "x", "0.5", "-1", "4k", "a b", "")


@st.composite
def command_lines(draw: st.DrawFn) -> tuple[str, list[str]]:
    engine = draw(st.sampled_from(tuple(VERSIONS)))
    facts = catalog.engine_facts(engine, VERSIONS[engine])
    assert facts is not None
    flags = [flag for flag in facts.flags if flag.names]
    words = ["m"] if engine == "vllm" else ["--model-path", "m"]
    words = words if draw(st.integers(0, 9)) else []
    for flag in draw(st.lists(st.sampled_from(flags), max_size=5)):
        value = st.sampled_from((*VALUES, *map(str, flag.choices or ())))
        words += [draw(st.sampled_from(flag.names)), *draw(st.lists(value, max_size=2))]
    if not draw(st.integers(0, 9)):
        words.insert(
            draw(st.integers(0, len(words))), draw(st.sampled_from(("extra", "--", "-tp", "--tp", "--he")))
        )
    return engine, words


@settings(max_examples=600, deadline=None)
@given(command_lines())
def test_flags_that_are_read_apart_give_what_the_whole_line_gives(line: tuple[str, list[str]]) -> None:
    engine, texts = line
    facts = catalog.engine_facts(engine, VERSIONS[engine])
    assert facts is not None
    words = [Word(text, index) for index, text in enumerate(texts)]
    apart = read_arguments(facts, words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arguments._Reader, "apart", lambda _reader, _texts: None)
        assert apart == read_arguments(facts, words)


def test_a_plain_line_is_read_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    read("vllm", ["m", "--seed", "1", "--max-model-len", "4k"])
    monkeypatch.setattr(arguments._Parser, "parse_known_args", None)
    arguments_read = read("vllm", ["m", "--max-model-len", "4k", "--seed", "1"])
    assert (arguments_read["max_model_len"], arguments_read["seed"], arguments_read["model_tag"]) == (
        4000,
        1,
        "m",
    )
