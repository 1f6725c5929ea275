"""The keys of JSON flags and the limits of numbers: they name flags of the release, and read values right."""

from __future__ import annotations

from typing import Any

import pytest

from launchplan.catalog import EngineJson, engine_facts, engine_json
from launchplan.catalog.engine_json import Bounds, JsonType, is_of_type

FOUND = engine_json("vllm", "0.33.0")
assert FOUND is not None
FACTS: EngineJson = FOUND


def test_every_flag_is_one_of_the_release() -> None:
    flags = engine_facts("vllm", "0.33.0")
    assert flags is not None
    named = {each.dest for each in FACTS.flags} | {each.dest for each in FACTS.limits}
    assert {dest for dest in named if flags.flag_of(dest) is None} == set()


def test_every_configuration_is_there() -> None:
    wanted = {each.config for each in FACTS.flags}
    wanted |= {key.config for config in FACTS.configs for key in config.keys if key.config}
    assert {name for name in wanted if FACTS.config(name).source == ""} == set()


def test_older_releases_have_none() -> None:
    assert engine_json("vllm", "0.30.0") is None
    assert engine_json("vllm", "0.34.0") == FACTS


@pytest.mark.parametrize(
    ("kind", "yes", "no"),
    [
        ("bool", [True, 0, 1, "yes", "OFF"], [2, "maybe", None, [], {}]),
        ("int", [3, True, 2.0, " 7", "-7"], [2.5, "x", None, []]),
        ("float", [3, 2.5, "1e3"], ["x", None, {}]),
        ("str", [""], [1, None]),
        ("list", [[]], [{}, "[]"]),
        ("dict", [{}], [[], "{}"]),
    ],
)
def test_values_are_read_as_the_engine_does(kind: JsonType, yes: list[Any], no: list[Any]) -> None:
    assert [value for value in yes if not is_of_type(value, kind)] == []
    assert [value for value in no if is_of_type(value, kind)] == []


@pytest.mark.parametrize(
    ("bounds", "value", "problem"),
    [
        (Bounds(ge=1), 0, "at least 1"),
        (Bounds(ge=1), 1, None),
        (Bounds(gt=0, le=1), 0, "above 0"),
        (Bounds(gt=0, le=1), 1.5, "at most 1"),
        (Bounds(ge=0, lt=1), 1, "below 1"),
        (Bounds(), -5, None),
    ],
)
def test_bounds(bounds: Bounds, value: float, problem: str | None) -> None:
    assert bounds.problem(value) == problem
