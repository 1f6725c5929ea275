"""Builds between releases and builds with patches: nobody knows what they have beyond their release."""

from __future__ import annotations

from typing import Any

import pytest

from launchplan import api

PARSER = "vllm serve openai/gpt-oss-120b --enable-auto-tool-choice --tool-call-parser openai"
CHANGED = ["0.10.1+gptoss", "0.10.1.dev12", "0.10.2rc1", "0.10.2.dev3+g1a2b3c4.d20250801"]


def codes(command: str, engine: str, version: str) -> set[str]:
    found = api.lint(command, gpu="h200", gpus_per_node=1, engine=engine, version=version).findings
    return {finding.code for finding in found}


def checked(version: str, args: dict[str, Any]) -> set[str]:
    recipe = {
        "launchplan": 1,
        "name": "case",
        "model": "meta-llama/Llama-3.1-8B",
        "engine": {"name": "vllm", "version": version},
        "hardware": {"gpu": "h200", "gpus_per_node": 1},
        "args": args,
    }
    return {finding.code for finding in api.check(recipe).findings}


@pytest.mark.parametrize("version", CHANGED)
def test_a_build_may_have_a_parser_that_came_later(version: str) -> None:
    assert "ENG106" not in codes(PARSER, "vllm", version)


@pytest.mark.parametrize("version", ["0.10.1", "v0.10.1", "0.10.1+cu126", "0.10.1+rocm641", "0.10.1.1"])
def test_a_release_for_another_device_is_that_release(version: str) -> None:
    assert "ENG106" in codes(PARSER, "vllm", version)


def test_a_pinned_build_is_no_release() -> None:
    pinned = f"pip install vllm==0.10.1+gptoss\n{PARSER}\n"
    assert "ENG106" not in {finding.code for finding in api.lint(pinned).findings}
    assert "ENG106" in {finding.code for finding in api.lint(pinned.replace("+gptoss", "")).findings}


@pytest.mark.parametrize(
    ("engine", "command"),
    [
        ("vllm", "vllm serve Qwen/Qwen3-8B --quantization coming"),
        ("sglang", "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --attention-backend coming"),
        ("sglang", "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --kv-cache-dtype coming"),
    ],
)
def test_a_build_may_have_a_value_that_came_later(engine: str, command: str) -> None:
    release = {"vllm": "0.10.1", "sglang": "0.5.6"}[engine]
    missing = {"ENG407", "QNT104"}
    assert codes(command, engine, release) & missing
    for build in ("+ours", "rc1", ".dev2"):
        assert not codes(command, engine, release + build) & missing, build


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ({"quantization": "coming"}, "QNT202"),
        ({"attention-backend": "COMING"}, "ENG205"),
        ({"compilation-config": {"coming": 1}}, "ENG202"),
        ({"compilation-config": {"dynamic_shapes_config": {"coming": 1}}}, "ENG202"),
        ({"attention-config": {"trtllm_ragged_backend": "coming"}}, "ENG202"),
        ({"kv-transfer-config": {"kv_connector": "Coming", "kv_role": "kv_both"}}, "DIS201"),
    ],
)
@pytest.mark.parametrize("version", ["0.33.0+ours", "0.33.0rc2", "0.33.0.post1", "0.34.0", "nightly"])
def test_what_no_list_of_the_version_names_may_be_there(
    version: str, args: dict[str, Any], code: str
) -> None:
    assert code in checked("0.33.0", args)
    assert code in checked("0.33.0+cu129", args)
    assert code not in checked(version, args)


@pytest.mark.parametrize("version", ["0.33.0+ours", "0.34.0", "nightly"])
def test_a_value_of_the_wrong_kind_is_wrong_in_a_build_too(version: str) -> None:
    assert "ENG202" in checked(version, {"compilation-config": {"cache_dir": {"a": 1}}})


@pytest.mark.parametrize(
    ("version", "flag", "found"),
    [
        ("0.33.0", "coming", "ENG101"),
        ("0.33.0+cu129", "coming", "ENG101"),
        ("0.33.0+ours", "coming", "ENG111"),
        ("0.33.0rc1", "coming", "ENG111"),
        ("0.20.2+ours", "coming", "ENG111"),
        ("0.20.2rc1", "coming", "ENG101"),  # neither 0.18.1 nor 0.20.2 nor 0.24.0 has it
        ("0.20.2rc1", "watermark", None),  # 0.24.0 has it
        ("0.18.0rc1", "swap-space", None),  # went in 0.18.0
        ("0.18.0", "swap-space", "ENG101"),
        ("0.20.2+ours", "swap-space", "ENG101"),
    ],
)
def test_a_flag_of_a_build(version: str, flag: str, found: str | None) -> None:
    names = {"ENG101", "ENG111"}
    assert checked(version, {flag: 1}) & names == ({found} if found else set())
    line = f"vllm serve meta-llama/Llama-3.1-8B --{flag} 1"
    assert ("ENG101" in codes(line, "vllm", version)) is (found == "ENG101")


def test_a_configuration_may_name_a_class_that_a_build_has() -> None:
    config = {"architectures": ["ComingForCausalLM"], "model_type": "llama", "num_hidden_layers": 2}
    for version, expected in (("0.33.0", True), ("0.33.0+ours", False), ("0.33.0rc1", False)):
        report = api.lint(
            "vllm serve some/model",
            engine="vllm",
            version=version,
            model_config=config,
        )
        assert ("ENG119" in {finding.code for finding in report.findings}) is expected, version


def test_a_post_release_is_told_from_its_release() -> None:
    line = "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tool-call-parser pythonic"
    assert {"ENG106", "ENG407"} & codes(line, "sglang", "0.4.6")
    assert not {"ENG106", "ENG407"} & codes(line, "sglang", "0.4.6.post5")


@pytest.mark.parametrize(
    ("version", "told"),
    [
        ("0.13.0", "it came with 0.14.0"),
        ("0.26.0", None),
        ("0.27.1", "0.26.0 had it, and 0.32.0 has it again"),
        ("0.27.1rc1", None),
        ("0.33.0", None),
    ],
)
def test_a_class_that_was_missing_in_between(version: str, told: str | None) -> None:
    config = {"architectures": ["ExaoneMoEForCausalLM"], "model_type": "exaone_moe", "num_hidden_layers": 2}
    report = api.lint("vllm serve some/model", engine="vllm", version=version, model_config=config)
    found = [finding.message for finding in report.findings if finding.code == "ENG123"]
    assert found == ([f"vllm {version} has no class ExaoneMoEForCausalLM; {told}"] if told else [])


def test_a_class_that_is_gone() -> None:
    config = {"architectures": ["ArcticForCausalLM"], "model_type": "arctic", "num_hidden_layers": 2}
    report = api.lint("vllm serve some/model", engine="vllm", version="0.29.0", model_config=config)
    found = [(finding.message, finding.fix) for finding in report.findings if finding.code == "ENG123"]
    assert found == [
        ("vllm 0.29.0 has no class ArcticForCausalLM; 0.28.0 was the last with it", "use vllm 0.28.0")
    ]
