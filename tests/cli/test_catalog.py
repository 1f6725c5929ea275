"""`launchplan catalog add` writes an entry that the catalog reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import yaml

from launchplan.catalog import ModelEntry

Runner = Callable[..., Any]


def test_entry_is_read_back(launchplan: Runner) -> None:
    ran = launchplan("catalog", "add", "config.json", "--id", "org/fine-8b", "--source", "a test", "-o", "-")
    assert (ran.code, ran.err) == (0, "")
    written = yaml.safe_load(ran.out)
    entry = ModelEntry.model_validate_json(json.dumps(written))
    assert entry.architecture().num_hidden_layers == 36
    assert written.pop("checked")  # today
    assert written == {
        "id": "org/fine-8b",
        "title": "fine 8b",
        "config": {
            "architectures": ["Qwen3ForCausalLM"],
            "model_type": "qwen3",
            "hidden_size": 4096,
            "intermediate_size": 12288,
            "num_hidden_layers": 36,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "vocab_size": 151936,
            "max_position_embeddings": 40960,
        },
        "parameters": {"total": 8190735360},
        "modalities": ["text"],
        "checkpoints": [{"id": "org/fine-8b", "format": "bf16"}],
        "source": "a test",
        "unconfirmed": [
            "parameters.total", "parameters.active", "parsers", "modalities", "checkpoints.bytes",
        ],
    }  # fmt: skip


def test_a_file_is_not_overwritten(launchplan: Runner) -> None:
    arguments = ("catalog", "add", "config.json", "--id", "org/fine", "-o", "entry.yaml")
    first, second, forced = launchplan(*arguments), launchplan(*arguments), launchplan(*arguments, "--force")
    assert (first.code, second.code, forced.code) == (0, 2, 0)
    assert second.err == "error: entry.yaml exists; --force overwrites it\n"


def test_an_id_has_an_organisation(launchplan: Runner) -> None:
    ran = launchplan("catalog", "add", "config.json", "--id", "fine", "-o", "-")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("\nError: Invalid value for --id: write it as ORG/NAME\n")


def test_no_config(launchplan: Runner) -> None:
    ran = launchplan("catalog", "add", "nothing.json", "--id", "org/fine", "-o", "-")
    told = "nothing.json: error REC001 unreadable-file: no such file\n  fix: did you mean nothing.sh?\n"
    assert (ran.code, ran.out, ran.err) == (2, "", told)
