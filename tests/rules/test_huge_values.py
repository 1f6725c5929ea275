"""Values that no engine computes with: a finding or silence, never an error of our own."""

from __future__ import annotations

from typing import Any

import pytest

from launchplan import api

VERSIONS = {"vllm": "0.33.0", "sglang": "0.5.23"}


def recipe(engine: str, **more: Any) -> dict[str, Any]:
    return {
        "launchplan": 1,
        "name": "case",
        "model": "deepseek-ai/DeepSeek-R1",
        "engine": {"name": engine, "version": VERSIONS[engine]},
        "hardware": {"gpu": "h200", "nodes": 1, "gpus_per_node": 8},
        "parallel": {"tp": 8},
        **more,
    }


@pytest.mark.parametrize("value", [10**400, 1e308, "²", "9" * 400], ids=["int", "float", "sign", "text"])
@pytest.mark.parametrize(
    ("engine", "flag"),
    [
        ("vllm", "kv-cache-memory-bytes"),
        ("vllm", "data-parallel-rpc-port"),
        ("sglang", "mem-fraction-static"),
        ("sglang", "chunked-prefill-size"),
    ],
)
def test_flags(engine: str, flag: str, value: object) -> None:
    assert not api.check(recipe(engine, args={flag: value})).ok


@pytest.mark.parametrize("value", ["²", "9" * 400, "9" * 5000], ids=["sign", "long", "longer"])
@pytest.mark.parametrize("name", ["VLLM_ENGINE_READY_TIMEOUT_S", "VLLM_USE_V2_MODEL_RUNNER"])
def test_variables(name: str, value: str) -> None:
    assert api.check(recipe("vllm", env={name: value})).findings


@pytest.mark.parametrize("version", ["²", "0.²", "0." + "9" * 5000], ids=["sign", "part", "long"])
def test_versions(version: str) -> None:
    report = api.check(recipe("vllm") | {"engine": {"name": "vllm", "version": version}})
    assert "FAC105" in {finding.code for finding in report.findings}
