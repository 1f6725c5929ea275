"""Commands become recipes that render back to them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from launchplan import api, catalog
from launchplan.engines.arguments import Word
from launchplan.engines.commands import bare_text
from launchplan.engines.reading import read_words
from launchplan.errors import InputError
from launchplan.lint import Command, RecipeDraft, Site, draft_recipe
from launchplan.lint.to_recipe import differing, rendered
from launchplan.pipeline import make_plan
from launchplan.resources import recipes_dir
from tests.command_words import words_of

RECIPES = sorted(recipes_dir().rglob("*.yaml"))
CASES = yaml.safe_load((Path(__file__).parent / "to_recipe.yaml").read_text(encoding="utf-8"))
NEWEST = {engine: catalog.versions(engine)[-1] for engine in ("vllm", "sglang")}


def draft(engine: str, version: str, texts: list[str]) -> RecipeDraft:
    words = tuple(Word(text, index) for index, text in enumerate(texts))
    return draft_recipe(Command(engine, words, {}), Site(version=version))


@cache
def heads(path: Path) -> list[tuple[str, str, list[str]]]:
    plan = make_plan(path)
    assert plan.launch is not None
    deployment = plan.resolved.deployment
    return [
        (deployment.engine, deployment.version, [bare_text(word) for word in process.argv][2:])
        for process in plan.launch.processes
        if process.role != "router" and process.node == 0
    ]


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_shipped_recipe_comes_back(path: Path) -> None:
    for engine, version, texts in heads(path):
        found = draft(engine, version, texts)
        assert found.unsaid == ()
        again = rendered(yaml.safe_load(found.text))
        wanted = read_words(engine, version, [Word(text, i) for i, text in enumerate(texts)])
        assert wanted is not None
        assert again is not None
        assert differing(wanted, again) == set()
        assert again["nnodes"] == wanted["nnodes"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["command"][:60])
def test_cases(case: dict[str, Any]) -> None:
    found = api.to_recipe(case["command"], **case.get("site", {}))
    assert yaml.safe_load(found.text) == found.recipe
    assert found.text == case["text"]
    assert list(found.unsaid) == case.get("unsaid", [])


@pytest.mark.parametrize("engine", NEWEST)
@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_any_known_flags_come_back(engine: str, data: st.DataObject) -> None:
    facts = catalog.engine_facts(engine, NEWEST[engine])
    assert facts is not None
    texts = data.draw(words_of(facts))
    wanted = read_words(engine, facts.version, [Word(text, i) for i, text in enumerate(texts)])
    assert wanted is not None
    if wanted.refusal is not None:
        with pytest.raises(InputError):
            draft(engine, facts.version, texts)
        return
    found = draft(engine, facts.version, texts)
    again = rendered(yaml.safe_load(found.text))
    assert again is not None, found.text
    apart = {flag.split(" ")[0] for flag in found.unsaid}
    kept = differing(wanted, again)
    assert {flag.name for dest in kept if (flag := facts.flag_of(dest))} == apart


def test_public_commands_come_back() -> None:
    path = Path(__file__).parents[3] / "shared" / "cases" / "public-cases.jsonl"
    if not path.exists():
        pytest.skip("the public cases are not beside the project")
    unsaid: dict[str, tuple[str, ...]] = {}
    # vLLM refuses --nnodes beside Ray; a recipe that asks for Ray has no such flag.
    refused = {"C145": ("--nnodes 2",)}
    count = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        launches = row["launch"] if isinstance(row["launch"], list) else [row["launch"]]
        for launch in launches:
            try:
                found = api.to_recipe(launch)
            except (InputError, ValueError):
                continue
            count += 1
            if found.unsaid:
                unsaid[row["id"]] = found.unsaid
    assert unsaid == refused
    assert count > 100


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("ls -l", "no `vllm serve` or `sglang serve` command found"),
        ("vllm serve m --no-such-flag", "does not take this command: unrecognized arguments: --no-such-flag"),
        ("vllm serve m --port eight", "does not take this command: invalid whole number value: 'eight'"),
    ],
)
def test_commands_that_are_none(command: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("`", ".")):
        api.to_recipe(command)
