"""`launchplan catalog add` writes an entry that the catalog reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from launchplan.catalog import ModelEntry

Runner = Callable[..., Any]


def test_entry_is_read_back(launchplan: Runner) -> None:
    ran = launchplan("catalog", "add", "config.json", "--id", "org/fine-8b", "--source", "a test", "-o", "-")
    assert (ran.code, ran.err) == (0, "")
    entry = ModelEntry.model_validate_json(json.dumps(yaml.safe_load(ran.out)))
    assert (entry.id, entry.source) == ("org/fine-8b", "a test")
    assert entry.architecture().num_hidden_layers == 36
    assert "checkpoints.bytes" in entry.unconfirmed


def test_a_file_is_not_overwritten(launchplan: Runner, tmp_path: Path) -> None:
    target = tmp_path / "entry.yaml"
    arguments = ("catalog", "add", "config.json", "--id", "org/fine", "-o", str(target))
    first, second, forced = launchplan(*arguments), launchplan(*arguments), launchplan(*arguments, "--force")
    assert (first.code, second.code, forced.code) == (0, 2, 0)
    assert "--force overwrites it" in second.err


def test_an_id_has_an_organisation(launchplan: Runner) -> None:
    ran = launchplan("catalog", "add", "config.json", "--id", "fine", "-o", "-")
    assert (ran.code, ran.out) == (2, "")
    assert "ORG/NAME" in ran.err


def test_no_config(launchplan: Runner) -> None:
    ran = launchplan("catalog", "add", "nothing.json", "--id", "org/fine", "-o", "-")
    assert (ran.code, ran.out) == (2, "")
    assert "nothing.json" in ran.err
    assert "Traceback" not in ran.err
