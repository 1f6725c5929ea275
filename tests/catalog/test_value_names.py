"""The values that a flag has in each release."""

from __future__ import annotations

import pytest

from launchplan.catalog import engine_facts, release_with, value_names, versions

ROWS = [
    ("vllm", "0.6.2", "--tool-call-parser", ("hermes", "mistral")),
    ("vllm", "v0.8.5.post1", "--reasoning-parser", ("deepseek_r1", "granite")),
    ("sglang", "0.4.6", "--tool-call-parser", ("deepseekv3", "llama3", "mistral", "pythonic", "qwen25")),
]


@pytest.mark.parametrize(("engine", "version", "flag", "names"), ROWS)
def test_a_release_has_the_names_of_its_source(
    engine: str, version: str, flag: str, names: tuple[str, ...]
) -> None:
    assert value_names(engine, version, flag) == names


@pytest.mark.parametrize("version", ["nightly", "0.40.0", "0.10.9"])
def test_a_release_that_nobody_read_has_none(version: str) -> None:
    assert value_names("vllm", version, "--tool-call-parser") == ()


def test_the_first_release_with_a_name_is_told() -> None:
    assert release_with("vllm", "0.10.0", "--tool-call-parser", "openai") == "0.10.2"
    assert release_with("vllm", "0.33.0", "--tool-call-parser", "openai") is None
    assert release_with("vllm", "0.10.0", "--tool-call-parser", "no_such_parser") is None


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_names_are_those_of_the_recorded_parsers(engine: str) -> None:
    compared = 0
    for version in versions(engine):
        facts = engine_facts(engine, version)
        for flag in ("--tool-call-parser", "--reasoning-parser", "--kv-cache-dtype", "--quantization"):
            found = facts.find(flag) if facts else None
            recorded = (
                {str(name) for name in (found.choices or found.value_names) if name} if found else set()
            )
            if recorded:
                assert recorded == {*value_names(engine, version, flag)}, (version, flag)
                compared += 1
    assert compared
