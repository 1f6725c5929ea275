"""`check --what-if` for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def test_json_says_what_the_text_says(launchplan: Callable[..., Any]) -> None:
    arguments = ("check", "fine.yaml", "--set", "parallel.tp=5", "--what-if")
    text, ran = launchplan(*arguments), launchplan(*arguments, "--format", "json")
    report = json.loads(ran.out)
    assert ran.code == text.code == 1
    assert report["errors"] == 1
    answers = report["what_if"]
    assert [each["set"] for each in answers["cures"]] == [
        ["parallel.tp=4"],
        ["parallel.tp=8"],
        ["parallel.tp=2"],
    ]
    for cure in answers["cures"]:
        assert f"--set {cure['set'][0]}  ({cure['requests']:,.0f} requests at once)" in text.out
    (own,) = (each for each in answers["elsewhere"] if each["recipes_own"])
    assert (own["gpu"], own["nodes"], own["gpus_per_node"]) == ("h100-sxm", 1, 8)
    for each in answers["elsewhere"]:
        assert (each["ok"], each["requests"]) == (False, None)
        (row,) = (line for line in text.out.splitlines() if line.split()[:1] == [each["gpu"]])
        assert row.endswith(f"{each['rule']} {each['reason']}")


def test_json_of_a_recipe_that_passes(launchplan: Callable[..., Any]) -> None:
    ran = launchplan("check", "fine.yaml", "--what-if", "--format", "json")
    answers = json.loads(ran.out)["what_if"]
    assert (ran.code, answers["cures"]) == (0, [])
    passing = {each["gpu"] for each in answers["elsewhere"] if each["ok"] and each["requests"]}
    assert {"h100-sxm", "h200", "b200"} <= passing


def test_json_of_a_recipe_that_cannot_be_read(launchplan: Callable[..., Any]) -> None:
    ran = launchplan("check", "missing.yaml", "--what-if", "--format", "json")
    report = json.loads(ran.out)
    assert (ran.code, report["what_if"]) == (2, None)


def test_more_gpus_of_the_host_come_before_more_hosts(launchplan: Callable[..., Any]) -> None:
    settings = (
        "model=openai/gpt-oss-120b",
        "checkpoint=",
        "hardware.gpu=rtx-5090",
        "hardware.gpus_per_node=2",
        "parallel.tp=2",
    )
    arguments = ("check", "fine.yaml", *(word for each in settings for word in ("--set", each)))
    ran = launchplan(*arguments, "--what-if", "--format", "json")
    first, *_ = json.loads(ran.out)["what_if"]["cures"]
    assert (ran.code, first["set"]) == (1, ["hardware.gpus_per_node=4", "parallel.tp=4"])
    cured = launchplan(*arguments, *(word for each in first["set"] for word in ("--set", each)))
    assert cured.code == 0


def test_a_gpu_whose_memory_is_not_known_holds_no_more_than_it_is_sold_with(
    launchplan: Callable[..., Any],
) -> None:
    arguments = (
        "check",
        "fine.yaml",
        "--set",
        "model=meta-llama/Llama-3.3-70B-Instruct",
        "--set",
        "checkpoint=",
        "--set",
        "parallel.tp=2",
    )
    text = launchplan(*arguments, "--what-if").out
    rows = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert rows["v100-32gb"].endswith("MEM101 131 GiB of weights, 2 x 32.0 GiB are 64.0 GiB at most")
    assert rows["rtx-pro-5000-72"].endswith("passes, its memory is not computed")
