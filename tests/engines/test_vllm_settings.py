"""What vLLM makes of a command, against rows that the engine was seen to resolve so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from launchplan import api
from launchplan.catalog import nearest_facts
from launchplan.engines.vllm.settings import VllmSettings
from launchplan.engines.vllm.view import VllmView

ROWS = yaml.safe_load((Path(__file__).parent / "vllm_settings.yaml").read_text(encoding="utf-8"))
VERSION = "0.33.0"
FACTS = nearest_facts("vllm", VERSION)
assert FACTS is not None
JSON_FLAGS = [flag.name for flag in FACTS.flags if flag.is_json]
NUMBERS = [flag.name for flag in FACTS.flags if flag.type in {"int", "human-int", "human-int-or-auto"}]
WORDS = [flag.name for flag in FACTS.flags if flag.type == "str" and flag.names and not flag.choices]
SWITCHES = [name for flag in FACTS.flags if flag.kind == "switch" for name in flag.names[:1]]


def view_of(model: str, words: list[str], gpu: str | None, env: dict[str, str], version: str) -> VllmView:
    plan = api.lint(["vllm", "serve", model, *words], gpu=gpu, gpus_per_node=8, version=version, env=env).plan
    assert plan is not None
    (view,) = plan.views
    assert isinstance(view, VllmView)
    return view


def subset(held: object, expected: dict[str, Any]) -> dict[str, Any]:
    return {name: getattr(held, name) for name in expected}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["what"])
def test_resolves_as_the_engine_does(row: dict[str, Any]) -> None:
    words = row.get("words", "").split()
    held = view_of(row["model"], words, row.get("gpu", "h200"), row.get("env", {}), VERSION).settings
    found: dict[str, Any] = {
        "settings": held,
        "parallel": held.parallel,
        "facts": held.model,
        "spec": held.spec,
    }
    for section in ("settings", "parallel", "facts", "spec"):
        expected = row.get(section, {})
        assert subset(found[section], expected) == expected


def test_older_versions_are_not_resolved() -> None:
    assert view_of("Qwen/Qwen3-32B", ["-tp", "8"], "h200", {}, "0.30.0").settings == VllmSettings()


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 2**70), st.floats(allow_nan=False), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["method", "model", "num_speculative_tokens", "kv_connector", "mode", "backend",
                             "kv_connector_extra_config", "connectors", "custom_ops", "cudagraph_mode"]),
            inner, max_size=4,
        ),
    ),
    max_leaves=8,
)  # fmt: skip
FLAG = st.one_of(
    st.tuples(st.sampled_from(SWITCHES)),
    st.tuples(st.sampled_from(NUMBERS), st.integers(-2, 2**40).map(str)),
    st.tuples(st.sampled_from(WORDS), st.sampled_from(["x", "a.b", "0,0", "None", "fp8", "mtp"])),
    st.tuples(st.sampled_from(JSON_FLAGS), JSON.map(json.dumps)),
)
MODELS = ["Qwen/Qwen3-8B", "moonshotai/Kimi-K3", "deepseek-ai/DeepSeek-V3.2", "nobody/knows"]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(MODELS),
    st.lists(FLAG, max_size=6),
    st.sampled_from([None, "h200", "t4", "mi300x"]),
    st.dictionaries(
        st.sampled_from(["VLLM_USE_V2_MODEL_RUNNER", "VLLM_DP_SIZE", "CUDA_VISIBLE_DEVICES"]),
        st.sampled_from(["", "0", "1", "2", "x"]),
    ),
)
def test_never_raises(model: str, flags: list[tuple[str, ...]], gpu: str | None, env: dict[str, str]) -> None:
    words = [word for flag in flags for word in flag]
    api.lint(["vllm", "serve", model, *words], gpu=gpu, gpus_per_node=8, version=VERSION, env=env)
