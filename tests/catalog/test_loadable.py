"""What is known of model types and classes that a release loads."""

from __future__ import annotations

import pytest

from launchplan.catalog import engine_models, loadable

RELEASES = (("vllm", "0.33.0"), ("sglang", "0.5.23"))


@pytest.mark.parametrize(("engine", "version"), RELEASES)
def test_lists_are_sorted_and_disjoint(engine: str, version: str) -> None:
    facts = loadable(engine, version)
    assert facts is not None
    for names in (facts.model_types, facts.classes, facts.fallbacks):
        assert list(names) == sorted(set(names))
    assert not set(facts.classes) & set(facts.fallbacks)


def test_classes_are_those_whose_traits_are_known() -> None:
    traits, names = engine_models("vllm", "0.33.0"), loadable("vllm", "0.33.0")
    assert traits is not None
    assert names is not None
    assert {each.name for each in traits.classes} == {*names.classes}


@pytest.mark.parametrize(
    ("engine", "version", "model_type", "name", "reads", "builds"),
    [
        ("vllm", "0.33.0", "qwen3", "Qwen3ForCausalLM", True, True),
        ("vllm", "0.33.0", "kimi_k3", "KimiK3ForConditionalGeneration", True, True),
        ("vllm", "0.33.0", "minimax_m3", "MiniMaxM3ForCausalLM", False, False),
        ("vllm", "0.33.0", "bert", "BertForNextSentencePrediction", True, None),
        ("sglang", "0.5.23", "step3p7", "Step3p7ForConditionalGeneration", True, True),
        ("sglang", "0.5.23", "mimo", "Step3p7FlashForCausalLM", False, False),
    ],
)
def test_names(
    engine: str, version: str, model_type: str, name: str, reads: bool, builds: bool | None
) -> None:
    facts = loadable(engine, version)
    assert facts is not None
    assert (facts.reads(model_type), facts.builds(name)) == (reads, builds)


def test_another_release_is_not_judged_by_this_one() -> None:
    assert loadable("vllm", "0.34.0") is None
    assert loadable("sglang", "0.5.22") is None
