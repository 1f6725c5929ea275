"""SGLang's own resolution: the values that the engine settled on for these commands, and that nothing breaks it."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from launchplan import api, catalog
from launchplan.engines.sglang.settings import Graph, SglangSettings
from launchplan.engines.sglang.settings.resolve import STEPS
from launchplan.engines.sglang.settings.types import changed
from launchplan.engines.sglang.view import SglangView

DATA = yaml.safe_load((Path(__file__).parent / "sglang_settings.yaml").read_text(encoding="utf-8"))
VERSION = "0.5.23"
OWN = {"complete", "decode_graph", "prefill_graph", "uses_mamba_radix_cache", "attn_dp_enabled"}
UNSEEN = {"speculative_draft_model_path", "enable_flashinfer_allreduce_fusion"}
"""A path of the machine, and a switch that the engine always clears."""
RECORDED = {name for case in DATA["cases"] for name in case["expect"]} | {*DATA["common"]}
FLAGS = [flag for flag in catalog.nearest_facts("sglang", VERSION).flags if flag.names]  # type: ignore[union-attr]
VALUES = {
    "int": ("-1", "0", "1", "3", "8", "100000"),
    "float": ("-1", "0", "0.5"),
    "json": ("{}", "[]", '{"decode": {"bs": [1, 2]}}'),
}


def view_of(command: str, gpu: str, env: dict[str, str] | None = None) -> SglangView:
    report = api.lint(f"sglang serve --model-path {command}", gpu=gpu, version=VERSION, env=env)
    assert report.plan is not None, report.findings
    (view,) = report.plan.views
    assert isinstance(view, SglangView)
    return view


def shown(value: Any) -> Any:
    if isinstance(value, Graph):
        return f"{value.backend} {value.max_bs} {len(value.sizes or ())}"
    return round(value, 6) if isinstance(value, float) else value


def expected(view: SglangView, case: dict[str, Any]) -> dict[str, Any]:
    names = (field.name for field in fields(SglangSettings))
    said = {name: view.arguments[name] for name in names if name not in OWN}
    return {**said, **DATA["common"], **case["expect"]}


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: f"{case['command']} on {case['gpu']}")
def test_values_are_the_engines(case: dict[str, Any]) -> None:
    view = view_of(case["command"], case["gpu"], case.get("env"))
    wanted = expected(view, case)
    found = {name: shown(getattr(view.settings, name)) for name in RECORDED - UNSEEN}
    assert found == {name: shown(wanted[name]) for name in found}


def test_steps_are_kept_by_name() -> None:
    view = view_of("deepseek-ai/DeepSeek-V3 --tp-size 8 --attn-dp-size 8", "h200")
    assert len(view.resolution.after) == len(STEPS)
    assert view.after("memory.budget").chunked_prefill_size == 8192
    assert view.after("parallel.data_parallelism").chunked_prefill_size == 1024
    assert view.after("no such step") is view.settings


def test_an_unknown_gpu_leaves_what_the_command_says() -> None:
    view = view_of("deepseek-ai/DeepSeek-V3 --tp-size 8 --dp-size 8 --enable-dp-attention", "unknown-gpu")
    held = view.settings
    assert view.given is None
    assert not held.complete
    assert (held.attn_dp_size, held.dp_size, held.attention_backend) == (8, 1, None)


def test_changed_values_make_a_new_object_and_equal_ones_do_not() -> None:
    held = view_of("Qwen/Qwen3-8B", "h200").settings
    assert changed(held, page_size=held.page_size) is held
    assert changed(held, page_size=7) == replace(held, page_size=7)
    assert held.page_size != 7


def some_value(flag: catalog.Flag, dice: random.Random) -> str:
    if flag.choices:
        return str(dice.choice(flag.choices))
    return dice.choice(VALUES.get(flag.type or "", ("a", "1")))


@pytest.mark.parametrize("seed", range(150))
def test_any_flags_resolve(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 # the same flags every time
    words = [
        "sglang",
        "serve",
        "--model-path",
        "deepseek-ai/DeepSeek-V4-Flash" if seed % 2 else "moonshotai/Kimi-K3",
    ]
    for flag in dice.sample(FLAGS, 12):
        words += [flag.name] if flag.kind == "switch" else [flag.name, some_value(flag, dice)]
    gpu = dice.choice(("h200", "b200", "t4", "mi300x", "unknown-gpu"))
    assert api.lint(words, gpu=gpu, version=VERSION).findings is not None
