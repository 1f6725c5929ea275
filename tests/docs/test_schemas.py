"""The JSON Schemas accept what the models accept, and flag what they refuse."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import jsonschema
import pytest

from launchplan.errors import InputError
from launchplan.recipe import load_cluster, load_recipe
from launchplan.report import examples
from launchplan.report.schemas import file_schema
from launchplan.source import parse_text

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "recipes").rglob("*.yaml"))
VALUES: tuple[Any, ...] = (
    [],
    ["x"],
    {},
    {"x": 1},
    {"A B": "1"},
    "",
    "x",
    "a b",
    -1,
    0,
    8,
    0.5,
    True,
    None,
    10**10,
)

FREE = frozenset({"args", "env", "options", "hf_overrides", "figures"})
"""Mappings whose keys are not ours."""


def validator(kind: Literal["recipe", "cluster"]) -> jsonschema.Draft202012Validator:
    schema = json.loads((ROOT / "docs" / "schema" / f"{kind}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:launchplan:{kind}:1"
    return jsonschema.Draft202012Validator(schema)


RECIPE, CLUSTER = validator("recipe"), validator("cluster")


def data_of(path: Path) -> Any:
    return parse_text(path.read_text(encoding="utf-8"), str(path)).data


def recipe_is_read(data: Any) -> bool:
    try:
        load_recipe(data)
    except InputError:
        return False
    return True


def cluster_is_read(data: Any) -> bool:
    try:
        load_cluster(data)
    except InputError:
        return False
    return True


def walk(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from walk(value, (*path, key))


def changed(data: Any) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Rename, and replace, every key."""
    for path in walk(data):
        for value in (*VALUES, "rename"):
            other = copy.deepcopy(data)
            holder = other
            for part in path[:-1]:
                holder = holder[part]
            if value != "rename":
                holder[path[-1]] = value
            elif isinstance(holder, dict):
                holder[f"{path[-1]}x"] = holder.pop(path[-1])
            else:
                continue
            yield path, value, other


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_recipes_are_valid_for_an_editor(path: Path) -> None:
    assert list(RECIPE.iter_errors(data_of(path))) == []
    first = path.read_text(encoding="utf-8").splitlines()[0]
    schema = first.removeprefix("# yaml-language-server: $schema=")
    assert (path.parent / schema).resolve() == ROOT / "docs" / "schema" / "recipe.schema.json"


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_typing_error_is_flagged(path: Path) -> None:
    data = data_of(path)
    renamed = [(where, other) for where, value, other in changed(data) if value == "rename"]
    flagged = [where for where, other in renamed if not RECIPE.is_valid(other)]
    assert flagged == [where for where, _ in renamed if not FREE.intersection(where[:-1])]


EVERYTHING: Any = {
    key: value
    for text in examples.RECIPE.values()
    for key, value in parse_text(text, "examples").data.items()
}
EVERY_SITE: Any = {
    key: value
    for text in examples.CLUSTER.values()
    for key, value in parse_text(text, "examples").data.items()
}


def test_schema_and_model_of_recipes_agree() -> None:
    assert recipe_is_read(EVERYTHING)
    cases = list(changed(EVERYTHING))
    differing = [
        (where, value) for where, value, data in cases if RECIPE.is_valid(data) != recipe_is_read(data)
    ]
    assert len(cases) > 900
    assert differing == []


def test_schema_and_model_of_clusters_agree() -> None:
    assert cluster_is_read(EVERY_SITE)
    cases = list(changed(EVERY_SITE))
    differing = [
        (where, value) for where, value, data in cases if CLUSTER.is_valid(data) != cluster_is_read(data)
    ]
    assert len(cases) > 400
    assert differing == []


def test_editors_are_told_what_a_key_means() -> None:
    for schema in (file_schema("recipe"), file_schema("cluster")):
        sections = [schema, *(part for part in schema["$defs"].values() if "properties" in part)]
        for section in sections:
            assert section["additionalProperties"] is False
            assert section["title"]
            for node in (section, *section["properties"].values()):
                assert node["description"]
                assert "\n" not in node["description"]
