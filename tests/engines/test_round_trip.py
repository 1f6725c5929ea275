"""Any command line of known flags: read, written out and read again, it says the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from launchplan import catalog
from launchplan.catalog import EngineFacts, Flag
from launchplan.engines.arguments import Word
from launchplan.engines.print import printed
from launchplan.engines.reading import read_words

RELEASES = [(engine, version) for engine in ("vllm", "sglang") for version in catalog.versions(engine)]
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
VALUES: dict[str | None, st.SearchStrategy[str]] = {
    "str": TEXT,
    "int": st.integers(-99, 99999).map(str),
    "float": st.floats(-9, 9).map(str),
    "bool": st.sampled_from(["true", "False"]),
    "human-int": st.sampled_from(["4k", "1.5m", "4K", "16", "-1"]),
    "human-int-or-auto": st.sampled_from(["auto", "4k", "-1"]),
    "si-int": st.sampled_from(["4k", "1.5M", "4Ki", "7"]),
    "json": JSON.map(json.dumps),
    "json-object": st.dictionaries(TEXT, JSON, max_size=2).map(json.dumps),
    "json-or-str": TEXT | st.dictionaries(TEXT, JSON, max_size=2).map(json.dumps),
    "lora-module": st.sampled_from(["a=/b", '{"name": "a", "path": "/b"}']),
}


def value_of(flag: Flag) -> st.SearchStrategy[str]:
    if flag.choices is not None:
        return st.sampled_from([str(choice) for choice in flag.choices if choice is not None])
    return VALUES.get(flag.type, TEXT)


@st.composite
def words_of(draw: st.DrawFn, facts: EngineFacts) -> list[str]:
    words = ["org/model"] if facts.engine == "vllm" else ["--model-path", "org/model"]
    known = [flag for flag in facts.flags if flag.names and flag.action != "help"]
    for flag in draw(st.lists(st.sampled_from(known), max_size=4, unique_by=lambda flag: flag.dest)):
        if flag.dest in {"config", "model_path"}:
            continue
        name = draw(st.sampled_from(flag.names))
        if flag.kind == "switch":
            words.append(name)
        elif flag.kind == "list":
            values = draw(st.lists(value_of(flag), min_size=1, max_size=3))
            words += [name, *(value for value in values if not value.startswith("-"))]
        elif draw(st.booleans()):
            words.append(f"{name}={draw(value_of(flag))}")
        else:
            words += [name, draw(value_of(flag))]
    return words


def read(facts: EngineFacts, texts: list[str]) -> Any:
    found = read_words(facts.engine, facts.version, [Word(text, index) for index, text in enumerate(texts)])
    assert found is not None
    return found


@pytest.mark.parametrize(("engine", "version"), RELEASES)
@settings(
    max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], deadline=None
)
@given(data=st.data())
def test_read_print_read_is_the_identity(engine: str, version: str, data: st.DataObject) -> None:
    facts = catalog.engine_facts(engine, version)
    assert facts is not None
    first = read(facts, data.draw(words_of(facts)))
    if first.refusal is not None:
        return
    again = read(facts, printed(first))
    assert again.refusal is None
    assert repr(dict(again.values)) == repr(dict(first.values))
    assert sorted(again.given) == sorted(first.given)
    assert printed(again) == printed(first)
