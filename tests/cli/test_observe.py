"""`launchplan observe`, and `launchplan memory --measured`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.observe.test_observation import LOG, RECIPE

Runner = Callable[..., Any]


def test_command(launchplan: Runner, tmp_path: Path) -> None:
    (tmp_path / "llama.yaml").write_text(RECIPE, "utf-8")
    (tmp_path / "start.log").write_text(LOG, "utf-8")
    recipe, log, kept = (str(tmp_path / name) for name in ("llama.yaml", "start.log", "kept.yaml"))
    ran = launchplan("observe", recipe, "--log", log, "--write", kept)
    assert (ran.code, ran.err) == (0, f"kept in {kept}\n")
    assert "7.51 to 7.60" in ran.out
    printed = json.loads(launchplan("observe", recipe, "--log", log, "--json").out)
    assert printed["ranks"][0]["figures"]["pool_tokens"] == 991232
    assert {each["name"] for each in printed["comparisons"]} >= {"weights", "pool", "non-torch"}
    planned = launchplan("memory", recipe, "--measured", kept)
    assert planned.out.count("measured, start.log") == 6
    assert sorted(each.name for each in tmp_path.iterdir() if each.is_file()) == [
        "kept.yaml",
        "llama.yaml",
        "start.log",
    ]


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ("", "the file is empty"),
        ("launchplan: 2\n", "format 2"),
        ("launchplan: 1\nrecipe: x\npools: []\n", "pools"),
        ("launchplan: 1\nrecipe: x\nother: 1\npools: 3\n", "other"),
        ("- 1\n", "not the mapping"),
        ("{", "REC002"),
    ],
)
def test_bad_file_of_measurements(launchplan: Runner, tmp_path: Path, kept: str, words: str) -> None:
    (tmp_path / "llama.yaml").write_text(RECIPE, "utf-8")
    (tmp_path / "kept.yaml").write_text(kept, "utf-8")
    ran = launchplan("memory", str(tmp_path / "llama.yaml"), "--measured", str(tmp_path / "kept.yaml"))
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


@pytest.mark.parametrize("log", ["missing.log", "."])
def test_unreadable_log(launchplan: Runner, tmp_path: Path, log: str) -> None:
    (tmp_path / "llama.yaml").write_text(RECIPE, "utf-8")
    ran = launchplan("observe", str(tmp_path / "llama.yaml"), "--log", str(tmp_path / log))
    assert (ran.code, ran.out) == (2, "")
    assert "cannot read" in ran.err
