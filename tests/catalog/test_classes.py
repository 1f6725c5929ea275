"""What is known of the classes that an engine's releases had."""

from __future__ import annotations

import pytest

from launchplan.catalog import ClassHistory, class_history, loadable
from launchplan.catalog.version import version_key


def history(engine: str) -> ClassHistory:
    found = class_history(engine)
    assert found is not None
    return found


@pytest.mark.parametrize(("engine", "version"), [("vllm", "0.33.0"), ("sglang", "0.5.23")])
def test_the_newest_release_has_what_its_wheel_lists(engine: str, version: str) -> None:
    listed, known = loadable(engine, version), history(engine)
    assert listed is not None
    gone = {name for names in known.last.values() for name in names}
    assert {name for names in known.since.values() for name in names} - gone == set(listed.classes)


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_a_class_came_once_and_went_after_that(engine: str) -> None:
    known = history(engine)
    for table in (known.since, known.last, known.in_transformers):
        held = [name for names in table.values() for name in names]
        assert len(held) == len(set(held))
    assert list(known.transformers) == sorted(known.transformers, key=version_key)
    for release, names in known.last.items():
        for name in names:
            first = known.first(name)
            assert first is not None
            assert version_key(first) <= version_key(release)


@pytest.mark.parametrize(
    ("engine", "version", "name", "expected"),
    [
        ("vllm", "0.15.1", "GlmMoeDsaForCausalLM", True),
        ("vllm", "0.16.0", "GlmMoeDsaForCausalLM", False),
        ("vllm", "v0.10.0", "GptOssForCausalLM", True),
        ("vllm", "0.10.1", "GptOssForCausalLM", False),
        ("vllm", "0.10.0+gptoss", "GptOssForCausalLM", False),  # a build with patches
        ("vllm", "0.10.1rc1", "Qwen3NextForCausalLM", False),
        ("vllm", "nightly", "GlmMoeDsaForCausalLM", False),
        ("vllm", "0.4.2", "GlmMoeDsaForCausalLM", False),  # older than what was read
        ("vllm", "0.15.1", "NobodysForCausalLM", False),
        ("sglang", "0.4.10.post2", "GptOssForCausalLM", True),
        ("sglang", "0.5.1.post3", "GptOssForCausalLM", False),
        ("sglang", "0.5.1", "Qwen3NextForCausalLM", True),
    ],
)
def test_which_releases_are_too_old(engine: str, version: str, name: str, expected: bool) -> None:
    assert history(engine).is_too_old(version, name) is expected


@pytest.mark.parametrize(
    ("engine", "version", "name", "expected"),
    [
        ("vllm", "0.10.1", "Qwen3NextForCausalLM", True),  # allows every later transformers
        ("vllm", "0.15.1", "GlmMoeDsaForCausalLM", False),  # below 5, which the class came with
        ("vllm", "0.8.1", "Qwen3NextForCausalLM", False),  # before classes of transformers were run
        ("sglang", "0.5.1", "Qwen3NextForCausalLM", False),  # asks for 4.55.2, which does not have it
        ("sglang", "0.4.6", "Qwen3ForCausalLM", False),
    ],
)
def test_which_classes_transformers_may_lend(engine: str, version: str, name: str, expected: bool) -> None:
    assert history(engine).may_be_lent(version, name) is expected
