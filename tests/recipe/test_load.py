"""Recipes are read strictly, and each mistake is told with its place and cure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan.errors import InputError
from launchplan.finding import Finding
from launchplan.recipe import load_cluster, load_recipe

HERE = Path(__file__).parent
GOOD = (HERE / "good.yaml").read_text("utf-8")
BROKEN: list[dict[str, Any]] = yaml.safe_load((HERE / "broken.yaml").read_text("utf-8"))


def shown(findings: tuple[Finding, ...]) -> list[str]:
    return [f"{str(f.location).removeprefix('<text>:')} {f.code} {f.message} | {f.fix}" for f in findings]


def problems(text: str, *settings: str) -> list[str]:
    try:
        load_recipe(text, settings)
    except InputError as error:
        return shown(error.findings)
    return []


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case["put"])
def test_broken(case: dict[str, Any]) -> None:
    assert GOOD.count(case["find"]) == 1
    assert problems(GOOD.replace(case["find"], case["put"])) == case["findings"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "<text> REC001 the file is empty | `launchplan new` writes a recipe"),
        ("# only words\n", "<text> REC001 the file is empty | `launchplan new` writes a recipe"),
        ("- a\n", "1:1 REC006 the file holds a list, not the mapping of a recipe | None"),
        ("just: 'a'\nword: b\n", "1:1 REC004 'launchplan: 1' is missing, so this may not be a recipe | write 'launchplan: 1'"),
    ],
    ids=["empty", "comment", "list", "other"],
)  # fmt: skip
def test_files_that_are_no_recipe(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        load_recipe(path)
    (line,) = shown(caught.value.findings)
    assert line.replace(f"{path}:", "").replace(str(path), "<text>") == expected


def test_settings_change_values_and_say_where_they_stand() -> None:
    assert load_recipe(GOOD, ["parallel.tp=8", "hardware.nodes=1"]).value.parallel.tp == 8
    assert problems(GOOD, "parallel.tp=x") == [
        "--set parallel.tp=x REC006 parallel.tp is 'x', not a whole number | write digits alone, such as 262144"
    ]
    assert problems(GOOD, "engine.version=0.33") == [
        '--set engine.version=0.33 REC006 engine.version is 0.33, not a string | write "0.33" in quotes'
    ]
    assert problems(GOOD, "tp") == ["--set tp REC009 'tp' has no value | write key.path=value"]
    assert problems(GOOD, "name.x=1") == [
        "--set name.x=1 REC009 'x' leads nowhere in name.x=1 | name a key of the recipe"
    ]
    assert problems(GOOD, "name.²=1") == [
        "--set name.²=1 REC009 '²' leads nowhere in name.²=1 | name a key of the recipe"
    ]
    assert load_recipe(GOOD, ["speculative="]).value.speculative is None
    assert load_recipe(GOOD, ['args."a.b"=[1]']).value.args == {"a.b": [1]}
    assert load_recipe(GOOD, ["serve.features.1=tools"]).value.serve.features == ["tools", "tools"]


@pytest.mark.parametrize(
    "path", [".", "parallel..tp", ".parallel.tp", "args.", 'args."a', 'args.""', 'args."a.b"c']
)
def test_a_path_names_a_key_at_every_step(path: str) -> None:
    assert problems(GOOD, f"{path}=2") == [
        (
            f"--set {path}=2 REC009 '{path}' is no path of keys"
            " | write key.path=value, and a key with dots in double quotes"
        )
    ]


def test_another_engine_leaves_the_first_ones_version() -> None:
    assert load_recipe(GOOD, ["engine.name=sglang"]).value.engine.version is None
    assert load_recipe(GOOD, ["engine.name=vllm"]).value.engine.version == "0.33.0"
    both = ["engine.name=sglang", "engine.version='0.5.23'"]
    assert load_recipe(GOOD, both).value.engine.version == "0.5.23"


def test_places_survive_settings() -> None:
    document = load_recipe(GOOD, ["parallel.tp=8"]).document
    assert str(document.locate(("parallel", "tp"))) == "--set parallel.tp=8"
    assert str(document.locate(("hardware", "gpu"))) == "<text>:9:17"


def test_mappings_are_recipes_too() -> None:
    data = yaml.safe_load(GOOD)
    assert load_recipe(data).value == load_recipe(GOOD).value
    with pytest.raises(InputError) as caught:
        load_recipe(data | {"parallel": {"tp": "16"}})
    assert [(f.code, f.key) for f in caught.value.findings] == [("REC006", "parallel.tp")]


def test_cluster_files() -> None:
    text = "launchplan: 1\nname: c\nnodes:\n- {address: 10.0.0.1}\n- {adress: 10.0.0.2}\n"
    with pytest.raises(InputError) as caught:
        load_cluster(text)
    assert shown(caught.value.findings) == [
        "5:4 REC005 'adress' is not a key of nodes[1] | did you mean 'address'?",
        "5:4 REC007 'address' is missing from nodes[1] | 'adress' looks like it",
    ]
    assert load_cluster("launchplan: 1\nname: c\nnodes: 64\n").value.nodes == 64
    with pytest.raises(InputError) as caught:
        load_cluster("launchplan: 1\nname: c\npaths: {model: ~/models}\n")
    assert [found.fix for found in caught.value.findings] == ["write an absolute path, which begins with /"]


def test_data_of_other_loaders_is_taken_as_written() -> None:
    data = yaml.safe_load(GOOD) | {"evidence": yaml.safe_load("{status: derived, checked: 2026-08-15}")}
    evidence = load_recipe(data).value.evidence
    assert evidence is not None
    assert evidence.checked == "2026-08-15"


@pytest.mark.parametrize(
    "value", [object(), float("nan"), {1, 2}, "\ud800"], ids=["object", "nan", "set", "surrogate"]
)
def test_data_that_no_file_can_hold(value: object) -> None:
    with pytest.raises(InputError, match="the data is no recipe"):
        load_recipe(yaml.safe_load(GOOD) | {"summary": value})
