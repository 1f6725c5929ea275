"""Entries made from a config read to the architecture that the config reads to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from launchplan import catalog
from launchplan.architecture import Architecture, read_architecture
from launchplan.catalog import ModelEntry
from launchplan.catalog.draft import Draft, draft_entry

DRAFT = Draft("somebody/model-1b", "its repository", "2026-11-30", parameters=7, bytes=9)
ENTRIES = {entry.id: entry for entry in catalog.models()}
PLAIN: dict[str, Any] = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "torch_dtype": "bfloat16",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "vocab_size": 256,
    "max_position_embeddings": 512,
    "bos_token_id": 1,
    "attention_dropout": 0.0,
    "transformers_version": "5.0",
}


def entry_of(config: dict[str, Any], draft: Draft = DRAFT) -> dict[str, Any]:
    model = read_architecture(config, draft.quantization)
    return draft_entry(config, draft, lambda other: shape(other) == shape(model))


def shape(model: Architecture) -> tuple[object, ...]:
    quantization = model.quantization
    return (model.layers, model.moe, model.mla, model.vocab_size, model.unknown, quantization.formats)


@pytest.mark.parametrize("name", ENTRIES)
def test_shipped_configs_come_back(name: str) -> None:
    config = dict(ENTRIES[name].config)
    read = ModelEntry.model_validate_json(json.dumps(entry_of(config)))
    assert shape(read.architecture(DRAFT.id)) == shape(read_architecture(config))


def test_whole_entry() -> None:
    kept = {key: value for key, value in PLAIN.items() if key not in _LEFT_OUT}
    assert entry_of(PLAIN) == {
        "id": "somebody/model-1b",
        "title": "model 1b",
        "config": kept,
        "parameters": {"total": 7},
        "modalities": ["text"],
        "checkpoints": [
            {
                "id": "somebody/model-1b",
                "format": "bf16",
                "bytes": 9,
                "bytes_source": "safetensors headers or index of the repository",
            }
        ],
        "source": "its repository",
        "checked": "2026-11-30",
        "unconfirmed": ["parameters.total", "parameters.active", "parsers", "modalities"],
    }


_LEFT_OUT = {"bos_token_id", "attention_dropout", "transformers_version"}


def test_modules_of_all_layers_become_one_pattern() -> None:
    ignored = [f"model.layers.{number}.self_attn.q_proj" for number in range(4)]
    settings = {"quant_method": "fp8", "activation_scheme": "dynamic", "modules_to_not_convert": ignored}
    entry = entry_of(PLAIN | {"quantization_config": settings})
    (checkpoint,) = entry["checkpoints"]
    assert checkpoint["format"] == "fp8"
    assert checkpoint["quantization"]["modules_to_not_convert"] == ["model.layers.*.self_attn.q_proj"]
    assert "quantization_config" not in entry["config"]


def test_patterns_stay_apart_where_folding_changes_the_model() -> None:
    settings = {"quant_method": "fp8", "modules_to_not_convert": ["model.layers.3.mlp"]}
    config = PLAIN | {"quantization_config": settings}
    seen: list[tuple[str, ...]] = []

    def is_same(model: Architecture) -> bool:
        seen.append(model.quantization.ignore)
        return "*" not in "".join(model.quantization.ignore)

    (checkpoint,) = draft_entry(config, DRAFT, is_same)["checkpoints"]
    assert checkpoint["quantization"]["modules_to_not_convert"] == ["model.layers.3.mlp"]
    assert len(seen) == 2


def test_settings_beside_the_config() -> None:
    beside = {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4", "group_size": 16}}
    draft = Draft(DRAFT.id, "its repository", "2026-11-30", quantization=beside)
    (checkpoint,) = entry_of(PLAIN, draft)["checkpoints"]
    assert checkpoint == {
        "id": DRAFT.id,
        "format": "nvfp4",
        "quantization": beside["quantization"],
        "separate_file": True,
    }
