"""`launchplan diff`: whole outputs, and exit codes as diff(1) has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from launchplan import api

from .conftest import Runner

OLD = """\
launchplan: 1
name: old
model: meta-llama/Llama-3.1-8B
engine: {name: vllm, version: "0.30.0"}
hardware: {gpu: h200, nodes: 1, gpus_per_node: 8}
parallel: {tp: 8}
serve: {max_model_len: 8192}
args: {enable-mamba-fine-grained-prefix-cache: true, dcp-kv-cache-interleave-size: 8}
env: {NCCL_DEBUG: WARN}
"""
NEW = """\
launchplan: 1
name: new
model: meta-llama/Llama-3.1-8B
engine: {name: vllm, version: "0.30.0"}
hardware: {gpu: h200, nodes: 1, gpus_per_node: 8}
parallel: {tp: 4}
serve: {max_model_len: 8192}
args: {cp-kv-cache-interleave-size: 8, seed: 1}
env: {NCCL_DEBUG: INFO}
"""
BETWEEN_RECIPES = """\
--- old: vllm 0.30.0
+++ new: vllm 0.30.0

node-0
  - --tensor-parallel-size 8
  + --tensor-parallel-size 4
  - --enable-mamba-fine-grained-prefix-cache
  - --dcp-kv-cache-interleave-size 8
  + --cp-kv-cache-interleave-size 8    (renamed)
  + --seed 1

environment of every process
  - NCCL_DEBUG=WARN
  + NCCL_DEBUG=INFO
"""
BETWEEN_ENGINES = """\
--- new: vllm 0.30.0
+++ new: sglang 0.5.23

node-0
  - vllm serve meta-llama/Llama-3.1-8B
  + sglang serve --model-path meta-llama/Llama-3.1-8B
  - --tensor-parallel-size 4
  + --tp-size 4    (same key of the recipe)
  - --max-model-len 8192
  + --context-length 8192    (same key of the recipe)
"""


@pytest.fixture
def recipes(files: Path) -> Path:
    Path("old.yaml").write_text(OLD, encoding="utf-8")
    Path("new.yaml").write_text(NEW, encoding="utf-8")
    return files


def test_two_recipes(launchplan: Runner, recipes: Path) -> None:
    ran = launchplan("diff", "old.yaml", "new.yaml")
    assert (ran.code, ran.out, ran.err) == (1, BETWEEN_RECIPES, "")


def test_the_same_recipe_twice(launchplan: Runner, recipes: Path) -> None:
    ran = launchplan("diff", "old.yaml", "old.yaml")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_another_release(launchplan: Runner, recipes: Path) -> None:
    ran = launchplan("diff", "old.yaml", "--engine-version", "0.33.0")
    assert ran.code == 1
    assert "node-0" not in ran.out
    assert "defaults that changed, of flags that neither writes\n" in ran.out
    refused = "not in vllm 0.33.0\n  + --enable-mamba-fine-grained-prefix-cache    (removed after 0.30.0; remove it)\n"
    assert ran.out.endswith(refused)


def test_another_engine(launchplan: Runner, recipes: Path) -> None:
    ran = launchplan(
        "diff", "new.yaml", "--engine", "sglang", "--engine-version", "0.5.23",
        "--set", "args.cp-kv-cache-interleave-size=", "--set", "args.seed=",
    )  # fmt: skip
    assert ran.code == 1
    assert ran.out.startswith(BETWEEN_ENGINES)


def test_nodes_that_come_and_go(launchplan: Runner, recipes: Path) -> None:
    ran = launchplan("diff", "old.yaml", "--set", "hardware.nodes=2", "--set", "parallel.pp=2")
    assert ran.code == 1
    assert ran.out.splitlines()[2] == "+ process node-1"


def test_json_says_the_same_as_the_library(launchplan: Runner, recipes: Path) -> None:
    ran = launchplan("diff", "old.yaml", "new.yaml", "--json")
    found = api.diff(Path("old.yaml"), Path("new.yaml"))
    data = json.loads(ran.out)
    assert (data["same"], found.same) == (False, False)
    assert data["processes"][0]["names"] == list(found.processes[0].names) == ["node-0"]
    assert [tuple(each.values()) for each in data["env"]] == [
        (each.before, each.after, each.note) for each in found.env
    ]
    assert api.diff(Path("old.yaml")).same
    assert not api.diff(Path("old.yaml"), set=["parallel.tp=4"]).same


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("old.yaml",), "name a second recipe, or what to change: --set, --engine or --engine-version"),
        (("old.yaml", "missing.yaml"), "missing.yaml: error REC001 unreadable-file: no such file"),
        (("-", "-"), "standard input can be read once"),
        (
            ("old.yaml", "--set", "hardware.gpu=nothing", "--set", "hardware.gpus_per_node="),
            "has no layout to compare",
        ),
    ],
)
def test_what_cannot_be_compared(
    launchplan: Runner, recipes: Path, arguments: tuple[str, ...], message: str
) -> None:
    ran = launchplan("diff", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
