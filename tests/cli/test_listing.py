"""`launchplan list` and `launchplan schema` print what the library knows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from launchplan import catalog
from launchplan.render import TARGETS
from launchplan.resources import recipes_dir
from launchplan.rules import RULES

ROOT = Path(__file__).parents[2]
Runner = Callable[..., Any]

ENGINES = [
    f"{name} {version}"
    for name in ("vllm", "sglang", "vllm-router", "sglang-router")
    for version in catalog.versions(name)
]
EXPECTED = {
    "models": [checkpoint.id for entry in catalog.models() for checkpoint in entry.checkpoints],
    "gpus": [gpu.id for gpu in catalog.gpus()],
    "fabrics": [fabric.id for fabric in catalog.fabrics()],
    "clusters": [preset.id for preset in catalog.cluster_presets()],
    "engines": ENGINES,
    "recipes": sorted(path.stem for path in recipes_dir().rglob("*.yaml")),
    "rules": [rule.code for rule in RULES],
    "targets": list(TARGETS),
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_list_names_everything_once(kind: str, launchplan: Runner) -> None:
    table, data = launchplan("list", kind), launchplan("list", kind, "--json")
    assert (table.code, table.err, data.code, data.err) == (0, "", 0, "")
    rows = json.loads(data.out)
    names = [
        " ".join(list(row.values())[:2]) if kind == "engines" else next(iter(row.values())) for row in rows
    ]
    assert (sorted(names) if kind == "recipes" else names) == EXPECTED[kind]
    header, *lines = table.out.splitlines()
    assert header.split() == list(rows[0])[:5]
    assert [line.split()[0] for line in lines] == [name.split()[0] for name in names]


def test_gpu_rows_are_complete(launchplan: Runner) -> None:
    rows = {row["gpu"]: row for row in json.loads(launchplan("list", "gpus", "--json").out)}
    assert rows["h200"] == {
        "gpu": "h200",
        "name": catalog.gpu("h200").name,  # type: ignore[union-attr] # it is known
        "memory_gib": 140.4,
        "gpus_per_node": 8,
        "formats": ["bf16", "int8", "fp8"],
        "vendor": "nvidia",
        "aliases": rows["h200"]["aliases"],
    }


def test_a_shipped_recipe_is_found_by_its_name(launchplan: Runner) -> None:
    by_file = launchplan("show", str(recipes_dir() / "Qwen" / "qwen3.8-fp8-2x8-b300.yaml"))
    assert by_file.code == 0
    for name in ("qwen3.8-fp8-2x8-b300", "Qwen/qwen3.8-fp8-2x8-b300"):
        assert launchplan("show", name) == by_file
    near = launchplan("show", "qwen3.8-fp8-2x8-b30")
    told = (
        "qwen3.8-fp8-2x8-b30: error REC001 unreadable-file: no such file, and no shipped recipe of this name\n"
        "  fix: did you mean qwen3.8-fp8-2x8-b300?\n"
    )
    assert (near.code, near.out, near.err) == (2, "", told)


@pytest.mark.parametrize("kind", ["recipe", "cluster"])
def test_schema_is_the_published_one(kind: str, launchplan: Runner) -> None:
    published = (ROOT / "docs" / "schema" / f"{kind}.schema.json").read_text(encoding="utf-8")
    assert launchplan("schema", kind).out == published


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_is_explained_by_code_and_by_name(rule: Any, launchplan: Runner) -> None:
    page = launchplan("explain", rule.code)
    assert page.code == 0
    assert page.out.startswith(f"{rule.code} {rule.name}: {rule.severity.word}, ")
    assert page.out.endswith(f"\n\n{rule.doc.strip()}\n")
    assert launchplan("explain", rule.name) == launchplan("explain", rule.code.lower()) == page
