"""Any command line of known flags: read, written out and read again, it says the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from launchplan import catalog
from launchplan.catalog import EngineFacts
from launchplan.engines.arguments import Word
from launchplan.engines.reading import read_words
from tests.command_print import printed
from tests.command_words import words_of

RELEASES = [(engine, version) for engine in ("vllm", "sglang") for version in catalog.versions(engine)]


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


def test_a_retired_flag_of_one_value_turns_its_switch_on() -> None:
    facts = catalog.engine_facts("sglang", "0.5.23")
    assert facts is not None
    assert read(facts, ["--model-path", "m"])["enable_amd_monokernel"] is False
    found = read(facts, ["--model-path", "m", "--monokernel-backend", "amd"])
    assert found["enable_amd_monokernel"] is True
    assert printed(found) == ["--model-path=m", "--enable-amd-monokernel"]
