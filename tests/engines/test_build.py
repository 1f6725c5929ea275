"""Whole command lines and environments of every kind of deployment."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan.engines import Inherited, Launch, Value, build_launch
from launchplan.layout import place
from launchplan.recipe import load_cluster, load_recipe
from launchplan.resolve import resolve

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text("utf-8"))
BASE = {
    "launchplan": 1,
    "name": "case",
    "model": "meta-llama/Llama-3.1-70B",
    "engine": {"name": "vllm", "version": "0.33.0"},
}


def launch_of(case: dict[str, Any]) -> Launch:
    cluster = (
        load_cluster({"launchplan": 1, "name": "site", **case["cluster"]}) if "cluster" in case else None
    )
    layout = place(resolve(load_recipe(BASE | case["recipe"]), cluster))
    assert layout is not None
    return build_launch(layout)


def shown(value: Value) -> str:
    return "".join(
        part if isinstance(part, str) else f"{'+' * isinstance(part, Inherited)}${part.variable}"
        for part in value
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_processes(case: dict[str, Any]) -> None:
    launch = launch_of(case)
    found = {process.name: process for process in launch.processes}
    for name, expected in case["processes"].items():
        process = found[name]
        assert [shown(word) for word in process.argv] == shlex.split(expected["argv"])
        assert {variable.name: shown(variable.value) for variable in process.env} == expected["env"]
        assert process.port == expected["port"]
    assert {variable.name: shown(variable.value) for variable in launch.env} == case.get("shared", {})


def test_processes_start_in_order_and_only_heads_answer() -> None:
    case = next(case for case in CASES if case["name"] == "prefill-decode")
    launch = launch_of(case)
    assert [process.name for process in launch.processes] == ["prefill-0", "prefill-1", "decode-0", "router"]
    assert [process.host for process in launch.processes] == [0, 1, 2, 0]
    assert [head.name for head in launch.heads] == ["router", "prefill-0", "prefill-1", "decode-0"]


def test_the_site_is_asked_for_each_value_once() -> None:
    case = next(case for case in CASES if case["name"] == "two-hosts")
    assert [(site.variable, site.hint) for site in launch_of(case).sites()] == [
        ("HEAD_ADDR", "address of node 0, as the other hosts reach it"),
        ("LOCAL_CACHE", "folder on a disk of this host"),
        ("NODE_IFNAME", "network interface of this host, such as eth0"),
    ]


def test_clients_ask_for_the_first_served_name() -> None:
    case = next(case for case in CASES if case["name"] == "a-follower-sets-no-api-up")
    assert launch_of(case).model_name == "llama"
