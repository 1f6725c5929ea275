"""Every published deployment comes out of its recipe flag by flag."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan.engines import Process, Value
from launchplan.pipeline import Plan, make_plan
from launchplan.resources import recipes_dir

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "documented.yaml").read_text("utf-8"))
SHIPPED = sorted(str(path.relative_to(recipes_dir()))[:-5] for path in recipes_dir().rglob("*.yaml"))


def plan_of(recipe: str, *settings: str) -> Plan:
    return make_plan(recipes_dir() / f"{recipe}.yaml", settings=settings)


def shown(value: Value) -> str:
    return "".join(part if isinstance(part, str) else f"${part.variable}" for part in value)


def process(plan: Plan, name: str) -> Process:
    assert plan.launch is not None
    return next(each for each in plan.launch.processes if each.name == name)


def pairs(words: list[str]) -> Counter[tuple[str, str]]:
    """Split a command into (flag, value) pairs; JSON values compare by meaning, not by spacing."""
    found: list[tuple[str, str]] = []
    flag = ""
    for word in words:
        if word.startswith("--"):
            found.append((word, ""))
            flag = word
        elif flag:
            found[-1] = (flag, _canonical(word))
            flag = ""
        else:
            found.append(("", word))
    return Counter(found)


def _canonical(word: str) -> str:
    return json.dumps(json.loads(word), sort_keys=True) if word.startswith("{") else word


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["recipe"])
def test_head_has_exactly_the_published_flags(case: dict[str, Any]) -> None:
    plan = plan_of(case["recipe"])
    assert plan.errors == ()
    first = "prefill-0" if "decode" in case else "node-0"
    written = [shown(value) for value in process(plan, first).argv]
    assert pairs(written) == pairs(shlex.split(f"{case['argv']} {case.get('rendezvous', '')}"))


@pytest.mark.parametrize(
    "case", [case for case in CASES if "decode" in case], ids=lambda case: case["recipe"]
)
def test_decode_head_has_exactly_the_published_flags(case: dict[str, Any]) -> None:
    written = [shown(value) for value in process(plan_of(case["recipe"]), "decode-0").argv]
    assert pairs(written) == pairs(shlex.split(case["decode"]))


@pytest.mark.parametrize("case", [case for case in CASES if "env" in case], ids=lambda case: case["recipe"])
def test_published_variables_are_set(case: dict[str, Any]) -> None:
    launch = plan_of(case["recipe"]).launch
    assert launch is not None
    written = {variable.name: shown(variable.value) for variable in launch.env}
    assert {name: written.get(name) for name in case["env"]} == case["env"]


def test_followers_are_the_head_but_for_rank_and_headless() -> None:
    plan = plan_of("Qwen/qwen3.8-fp8-2x8-b300")
    head = Counter(shown(value) for value in process(plan, "node-0").argv)
    follower = Counter(shown(value) for value in process(plan, "node-1").argv)
    assert follower - head == Counter(["1", "--headless"])
    assert head - follower == Counter(["0"])
    assert (process(plan, "node-0").port, process(plan, "node-1").port) == (8000, None)


@pytest.mark.parametrize("recipe", SHIPPED)
def test_shipped_recipe_has_no_error_and_says_what_it_is(recipe: str) -> None:
    plan = plan_of(recipe)
    value = plan.recipe.value
    assert plan.errors == ()
    assert plan.launch is not None
    assert value.name == Path(recipe).name
    assert value.summary
    assert value.evidence
    assert (
        plan.recipe.document.line(1) == "# yaml-language-server: $schema=../../docs/schema/recipe.schema.json"
    )


@pytest.mark.parametrize("recipe", sorted({case["recipe"] for case in CASES}))
def test_recipe_renders_for_the_other_engine(recipe: str) -> None:
    engine = plan_of(recipe).resolved.deployment.engine
    other = "sglang" if engine == "vllm" else "vllm"
    launch = plan_of(recipe, f"engine.name={other}").launch
    assert launch is not None
    programs = {shown(process.command[0]) for process in launch.processes if process.role != "router"}
    assert programs == {other}
