"""Every family has its tensors, and says what it misses."""

from __future__ import annotations

from typing import Any

import pytest

from launchplan import catalog
from launchplan.architecture import read_architecture
from launchplan.architecture.families import FAMILIES
from launchplan.memory.formats import store
from launchplan.memory.inventory import FAMILY_TENSORS, list_inventory

# The smallest configs that list tensors, of the families that the catalog has no model of.
BASE = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "intermediate_size": 128,
    "vocab_size": 100,
}
ATTENTION = 64 * 64 * 2 + 32 * 64 * 2
SMALL: dict[str, tuple[dict[str, Any], int]] = {
    "Gemma2ForCausalLM": ({}, 100 * 64 + 2 * (ATTENTION + 3 * 128 * 64 + 4 * 64) + 64),
    "Gemma3ForCausalLM": ({}, 100 * 64 + 2 * (ATTENTION + 3 * 128 * 64 + 4 * 64 + 2 * 16) + 64),
    "MistralForCausalLM": (
        {"model_type": "mistral"},
        2 * 100 * 64 + 2 * (ATTENTION + 3 * 128 * 64 + 2 * 64) + 64,
    ),
    "ArceeForCausalLM": (
        {"model_type": "arcee"},
        2 * 100 * 64 + 2 * (ATTENTION + 2 * 128 * 64 + 2 * 64) + 64,
    ),
    "Glm4ForCausalLM": ({"model_type": "glm4"}, 2 * 100 * 64 + 2 * (ATTENTION + 3 * 128 * 64 + 4 * 64) + 64),
    "Starcoder2ForCausalLM": (
        {"model_type": "starcoder2", "use_bias": True},
        2 * 100 * 64 + 2 * (ATTENTION + (64 + 32 + 32 + 64) + 2 * 128 * 64 + 128 + 64 + 4 * 64) + 64,
    ),
    "Qwen2ForCausalLM": (
        {"model_type": "qwen2"},
        2 * 100 * 64 + 2 * (ATTENTION + (64 + 32 + 32) + 3 * 128 * 64 + 2 * 64) + 64,
    ),
}


def test_every_family_has_a_file() -> None:
    assert set(FAMILY_TENSORS) == {family.name for family in FAMILIES}


@pytest.mark.parametrize("entry", catalog.models(), ids=lambda entry: entry.id)
def test_parameters_of_the_catalog_come_out(entry: catalog.ModelEntry) -> None:
    inventory = list_inventory(entry.architecture())
    assert inventory.missing == ()
    # A tied output layer may stand in the files all the same (Qwen3-0.6B and 1.7B).
    tied = next(tensor for tensor in inventory.tensors if tensor.kind == "embedding").elements
    counts = (
        inventory.parameters,
        inventory.parameters + tied * bool(entry.architecture().tie_word_embeddings),
    )
    if entry.parameters.total is not None and "parameters.total" not in entry.unconfirmed:
        assert any(count == pytest.approx(entry.parameters.total, rel=0.02) for count in counts)


@pytest.mark.parametrize("name", SMALL)
def test_parameters_of_a_small_model(name: str) -> None:
    extra, parameters = SMALL[name]
    assert (
        list_inventory(read_architecture({"architectures": [name], **BASE, **extra})).parameters == parameters
    )


@pytest.mark.parametrize("key", ["hidden_size", "vocab_size", "intermediate_size", "num_hidden_layers"])
def test_missing_size_is_named(key: str) -> None:
    config = {"architectures": ["LlamaForCausalLM"], **BASE}
    del config[key]
    missing = list_inventory(read_architecture(config)).missing
    named = {"intermediate_size": "dense_intermediate_size", "num_hidden_layers": "layers"}
    assert missing == (named.get(key, key),)


def test_unknown_tower_is_a_guess() -> None:
    config = {
        "architectures": ["Qwen2VLForConditionalGeneration"],
        "model_type": "qwen2_vl",
        **BASE,
        "vision_config": {"embed_dim": 32, "depth": 2, "num_heads": 2},
    }
    inventory = list_inventory(read_architecture(config))
    assert inventory.uncertain == ("the vision tower is counted as a plain transformer",)
    assert any(tensor.part == "vision" for tensor in inventory.tensors)


@pytest.mark.parametrize(
    ("ignore", "stored_plain"),
    [
        (["lm_head"], {"lm_head"}),
        (["model.layers.0.mlp"], {"model.layers.{}.mlp.down_proj"}),
        (["*.mlp.*"], {"model.layers.{}.mlp.down_proj", "model.layers.{}.mlp.up_proj"}),
        (["re:.*self_attn.*"], {"model.layers.{}.self_attn.q_proj"}),
        (["language_model.model.layers.1.self_attn*"], {"model.layers.{}.self_attn.k_proj"}),
        (["q_proj"], {"model.layers.{}.self_attn.q_proj"}),
    ],
)
def test_ignored_modules_stay_plain(ignore: list[str], stored_plain: set[str]) -> None:
    settings = {"quant_method": "modelopt", "quant_algo": "FP8", "ignore": ignore}
    config = {"architectures": ["LlamaForCausalLM"], **BASE, "quantization_config": settings}
    stored = store(read_architecture(config)).tensors
    plain = {each.tensor.name for each in stored if each.storage.format == "none"}
    assert stored_plain <= plain
    other = {"model.layers.{}.mlp.gate_proj", "model.layers.{}.self_attn.o_proj"} - stored_plain
    assert any(each.tensor.name in other and each.storage.format == "fp8" for each in stored)


def test_mixed_checkpoint_keeps_formats_apart() -> None:
    stored = store(_architecture("nvidia/MiniMax-M3-NVFP4")).tensors
    formats = {(each.tensor.kind, each.storage.format) for each in stored if each.tensor.quantizable}
    assert {("experts", "nvfp4"), ("attention", "mxfp8"), ("shared_experts", "mxfp8")} <= formats


def _architecture(checkpoint: str) -> Any:
    entry = catalog.model(checkpoint)
    assert entry is not None
    return entry.architecture(checkpoint)
