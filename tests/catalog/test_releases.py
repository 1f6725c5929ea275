"""What is known of the names that an engine's releases have."""

from __future__ import annotations

import pytest

from launchplan.catalog import (
    ReleaseNames,
    engine_facts,
    engine_models,
    lacks_class,
    loadable,
    release_names,
    versions,
)
from launchplan.catalog.load import read_fact
from launchplan.catalog.releases import CLASSES, FOLDER, LIBRARY, STAGELESS, Releases
from launchplan.catalog.version import order_key, release_key

ENGINES = ("vllm", "sglang")
FLAGS = ("--tool-call-parser", "--reasoning-parser", "--kv-cache-dtype", "--quantization")
ROWS = [
    ("vllm", "0.6.2", "--tool-call-parser", {"hermes", "mistral"}),
    ("vllm", "v0.8.5.post1", "--reasoning-parser", {"deepseek_r1", "granite"}),
    ("vllm", "0.4.1", "--kv-cache-dtype", {"auto", "fp8"}),
    ("sglang", "0.4.6", "--tool-call-parser", {"deepseekv3", "llama3", "mistral", "qwen25"}),
    (
        "sglang",
        "0.4.6.post5",
        "--tool-call-parser",
        {"deepseekv3", "llama3", "mistral", "pythonic", "qwen25"},
    ),
]
"""Read in the wheels by eye."""


def names(engine: str, of: str) -> ReleaseNames:
    found = release_names(engine, of)
    assert found is not None
    return found


@pytest.mark.parametrize(("engine", "version", "flag", "expected"), ROWS)
def test_a_release_has_the_names_of_its_source(
    engine: str, version: str, flag: str, expected: set[str]
) -> None:
    assert names(engine, flag).at(version) == frozenset(expected)


@pytest.mark.parametrize(
    "version", ["nightly", "0.40.0", "0.10.9", "0.10.1rc1", "0.10.1+gptoss", "0.5.5", "0.8.4.post1"]
)
def test_a_release_that_nobody_read_has_none(version: str) -> None:
    assert names("vllm", "--tool-call-parser").at(version) is None
    assert not names("vllm", "--tool-call-parser").lacks(version, "no_such_parser")


def test_releases_with_a_name() -> None:
    parsers, classes = names("vllm", "--tool-call-parser"), names("vllm", CLASSES)
    assert parsers.next_with("0.10.0", "openai") == "0.10.2"
    assert parsers.next_with("0.10.2rc1", "openai") == "0.10.2"
    assert parsers.next_with("0.33.0", "openai") is None
    assert parsers.next_with("0.10.0", "no_such_parser") is None
    assert parsers.first("openai") == "0.10.2"
    assert classes.first("NobodysForCausalLM") is None
    assert classes.last_with("0.28.0", "ExaoneMoEForCausalLM") == "0.26.0"
    assert classes.next_with("0.28.0", "ExaoneMoEForCausalLM") == "0.32.0"
    assert classes.last_with("0.13.0", "ExaoneMoEForCausalLM") is None


@pytest.mark.parametrize("engine", ENGINES)
def test_names_are_those_of_the_recorded_parsers(engine: str) -> None:
    compared = 0
    for version in versions(engine):
        facts = engine_facts(engine, version)
        for flag in FLAGS:
            found = facts.find(flag) if facts else None
            recorded = (
                {str(name) for name in (found.choices or found.value_names) if name} if found else set()
            )
            if recorded:
                assert frozenset(recorded) == names(engine, flag).at(version), (version, flag)
                compared += 1
    assert compared


@pytest.mark.parametrize(("engine", "version"), [("vllm", "0.33.0"), ("sglang", "0.5.23")])
def test_the_newest_release_has_what_its_wheel_lists(engine: str, version: str) -> None:
    listed = loadable(engine, version)
    assert listed is not None
    assert names(engine, CLASSES).at(version) == frozenset(listed.classes)


@pytest.mark.parametrize("engine", [*ENGINES, LIBRARY])
def test_a_run_is_one_of_releases_that_were_read(engine: str) -> None:
    facts = read_fact(Releases, FOLDER / f"{engine}.yaml")
    keys = [release_key(release) for release in facts.releases]
    assert None not in keys
    assert [key for key in keys if key] == sorted({key for key in keys if key})
    assert len({each.of for each in facts.lists}) == len(facts.lists)
    for each in facts.lists:
        ends = [run.partition("..")[::2] for run in each.runs]
        assert {end for pair in ends for end in pair if end} <= set(facts.releases)
        assert all(not last or order_key(first) <= order_key(last) for first, last in ends)
        held = [(name, run) for run, found in each.runs.items() for name in found]
        assert len(held) == len(set(held))


@pytest.mark.parametrize("engine", ENGINES)
def test_every_release_asks_for_one_transformers(engine: str) -> None:
    facts = read_fact(Releases, FOLDER / f"{engine}.yaml")
    assert {len(names(engine, LIBRARY).at(release) or ()) for release in facts.releases} == {1}


@pytest.mark.parametrize(
    ("engine", "version", "name", "expected"),
    [
        ("vllm", "0.15.1", "GlmMoeDsaForCausalLM", True),  # nor a transformers that it allows, below 5
        ("vllm", "0.16.0", "GlmMoeDsaForCausalLM", False),
        ("vllm", "v0.15.1+cu129", "GlmMoeDsaForCausalLM", True),
        ("vllm", "0.10.1", "GptOssForCausalLM", False),
        ("vllm", "0.10.0+gptoss", "GptOssForCausalLM", False),  # a build with patches
        ("vllm", "0.10.1rc1", "Qwen3NextForCausalLM", False),
        ("vllm", "nightly", "GlmMoeDsaForCausalLM", False),
        ("vllm", "0.3.3", "GlmMoeDsaForCausalLM", False),  # older than what was read
        ("vllm", "0.4.2", "GlmMoeDsaForCausalLM", True),
        ("sglang", "0.4.10.post2", "GptOssForCausalLM", True),
        ("sglang", "0.5.1.post1", "GptOssForCausalLM", False),
        ("sglang", "0.5.9.post1", "NobodysForCausalLM", False),  # a post that there is not
        # transformers may lend it
        ("vllm", "0.10.1", "Qwen3NextForCausalLM", False),  # allows every later transformers
        ("vllm", "0.8.1", "Qwen3NextForCausalLM", True),  # before classes of transformers were run
        ("sglang", "0.5.1", "Qwen3NextForCausalLM", True),  # asks for 4.55.2, which does not have it
        ("sglang", "0.5.1.post3", "Qwen3NextForCausalLM", True),
        # missing in between, and gone
        ("vllm", "0.26.0", "ExaoneMoEForCausalLM", False),
        ("vllm", "0.27.0", "ExaoneMoEForCausalLM", True),
        ("vllm", "0.32.0", "ExaoneMoEForCausalLM", False),
        ("vllm", "0.29.0", "ArcticForCausalLM", True),
        # another class of the same stem may stand for it
        ("vllm", "0.9.2", "Llama4ForCausalLM", False),
        ("vllm", "0.7.3", "ChatGLMForConditionalGeneration", False),
    ],
)
def test_which_releases_lack_a_class(engine: str, version: str, name: str, expected: bool) -> None:
    assert lacks_class(engine, version, name) is expected


def test_nobody_has_read_another_engine() -> None:
    assert release_names("tgi", CLASSES) is None
    assert not lacks_class("tgi", "3.0", "LlamaForCausalLM")


def test_classes_without_stages_are_those_of_the_registry() -> None:
    facts = engine_models("vllm", "0.33.0")
    lacking = names("vllm", STAGELESS).at("0.33.0")
    assert facts is not None
    assert lacking is not None
    models = [each for each in facts.classes if "draft" not in each.traits]
    assert {each.name for each in models} & lacking == {
        each.name for each in models if "pp" not in each.traits
    }


def test_a_class_without_stages_is_one_of_its_release() -> None:
    facts = read_fact(Releases, FOLDER / "vllm.yaml")
    lists = [(names("vllm", STAGELESS).at(each), names("vllm", CLASSES).at(each)) for each in facts.releases]
    assert [each for each in lists if each[0]]
    assert all(lacking is None or (known is not None and lacking < known) for lacking, known in lists)
