"""What is known of model classes, methods and connectors of a release."""

from __future__ import annotations

from collections import Counter

import pytest

from launchplan.catalog import EngineModels, engine_models

FOUND = engine_models("vllm", "0.33.0")
assert FOUND is not None
FACTS: EngineModels = FOUND


def test_names_stand_once() -> None:
    for table in (FACTS.classes, FACTS.quantization, FACTS.kv_connectors):
        assert [name for name, count in Counter(each.name for each in table).items() if count > 1] == []


def test_drafts_are_classes_of_the_release() -> None:
    assert {each.draft for each in FACTS.mtp if FACTS.traits(each.draft) is None} == set()


@pytest.mark.parametrize(
    ("name", "traits"),
    [
        ("Qwen3ForCausalLM", {"lora", "pp"}),
        ("KimiK25ForConditionalGeneration", {"multimodal", "pp"}),
        ("MiMoV2FlashForCausalLM", {"pp"}),
        ("NemotronHForCausalLM", {"hybrid", "lora", "pp", "replayssm"}),
        ("NoSuchClass", None),
    ],
)
def test_traits(name: str, traits: set[str] | None) -> None:
    assert FACTS.traits(name) == traits


@pytest.mark.parametrize(
    ("model_type", "name", "draft"),
    [
        ("deepseek_v3", "DeepseekV3ForCausalLM", "DeepSeekMTPModel"),
        ("glm_moe_dsa", "GlmMoeDsaForCausalLM", "DeepseekV32MTPModel"),
        ("mimo_v2_flash", "MiMoV2FlashForCausalLM", "MiMoV2MTPModel"),
        ("minimax_m2", "MiniMaxM2ForCausalLM", None),
    ],
)
def test_drafts(model_type: str, name: str, draft: str | None) -> None:
    own = FACTS.mtp_of(model_type, name)
    assert (own.draft if own else None) == draft


def test_older_releases_have_none() -> None:
    assert engine_models("vllm", "0.30.0") is None
    assert engine_models("sglang", "0.5.23") is None
