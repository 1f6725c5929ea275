"""Parameter bytes of a rank against what the engines' own model classes take."""

from __future__ import annotations

import sys
from statistics import median
from typing import TYPE_CHECKING

import pytest

from launchplan.memory import sglang, vllm
from launchplan.memory.weights import rank_weights
from tests.memory.kit import Row, architecture, errors_text, stage, table

if TYPE_CHECKING:
    from collections.abc import Callable


def _of_vllm(row: Row) -> int:
    model = architecture(row["model"])
    settings = vllm.VllmWeights(
        tp=row.get("tp", 1),
        pp=row.get("pp", 1),
        dp=row.get("dp", 1),
        expert_parallel=row.get("ep", False),
        all2all_backend=row.get("a2a", "allgather_reducescatter"),
        moe_backend=row.get("moe", "auto"),
        capability=(row["gpu"][0], row["gpu"][1]),
        redundant_experts=row.get("redundant", 0),
        vision_by_data=row.get("vision_by_data", False),
    )
    number = row.get("stage", 0)
    layers = vllm.stage_layers(len(model.layers), settings.pp)[number]
    made = list(layers)[: row.get("layers", len(layers))]
    weights = rank_weights(model, vllm.vllm_cut(model, settings, stage(made, number, settings.pp)))
    assert weights is not None
    return weights.total


def _of_sglang(row: Row) -> int:
    model = architecture(row["model"])
    settings = sglang.SglangWeights(
        tp=row.get("tp", 1),
        pp=row.get("pp", 1),
        attention_dp=row.get("attention_dp", 1),
        ep=row.get("ep", 1),
        dense_tp=row.get("dense_tp"),
        lm_head_by_attention=row.get("lm_head_by_attention", False),
        capability=(row["gpu"][0], row["gpu"][1]),
        quantization=row.get("quantization"),
    )
    made = stage(range(*row["layers"]), row.get("stage", 0), settings.pp)
    weights = rank_weights(model, sglang.sglang_cut(model, settings, made))
    assert weights is not None
    return weights.total


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_agrees_with_the_engine(engine: str, record_property: Callable[[str, object], None]) -> None:
    compute = _of_vllm if engine == "vllm" else _of_sglang
    errors: dict[str, list[float]] = {}
    for row in table(f"weights_{engine}.yaml"):
        errors.setdefault(row["model"], []).append(100 * (compute(row) / row["bytes"] - 1))
    sys.stdout.write("\n" + errors_text(engine, errors) + "\n")
    record_property("errors", errors_text(engine, errors))
    every = [abs(error) for each in errors.values() for error in each]
    assert max(every) <= 0.5
    assert median(every) <= 0.05


def test_kimi_k3_on_sixteen_h200() -> None:
    row = {"model": "moonshotai/Kimi-K3", "tp": 16, "ep": 16, "gpu": [9, 0], "layers": [0, 93]}
    assert _of_sglang(row) / 2**30 == pytest.approx(101.768, abs=0.001)
