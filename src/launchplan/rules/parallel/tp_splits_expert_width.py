"""The width of an expert does not divide over the ranks that share it.

## Why

Without expert parallelism each expert is cut into slices, one a rank. vLLM cuts over all tp x dp ranks:
data parallel ranks count too, so `dp 5` can break a model that `tp` alone does not. With expert parallelism
whole experts are placed and vLLM cuts nothing; SGLang cuts by tp / ep.

## Fix

Turn expert parallelism on, or take sizes whose product divides the width.

## References

- vLLM 0.33.0 `vllm/model_executor/layers/fused_moe/config.py:1352`, `models/gpt_oss.py:389`
- SGLang 0.5.23 `layers/moe/fused_moe_triton/layer.py:427`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sizes import sizes_of


@rule(
    "PAR115",
    "tp-splits-expert-width",
    severity=ERROR,
    source={
        "vllm": "vllm/model_executor/layers/fused_moe/config.py:1352 (0.33.0)",
        "sglang": "sglang/srt/layers/moe/fused_moe_triton/layer.py:427 (0.5.23)",
    },
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare an expert's width with the ranks that share it."""
    pool, sizes = view.pool, sizes_of(view)
    moe, parts = view.architecture.moe if view.architecture else None, sizes.experts
    if moe is None or moe.intermediate_size is None or not parts or moe.intermediate_size % parts == 0:
        return
    vllm = view.engine == "vllm"
    how = "tp x dp" if vllm else "tp x dp / ep"
    message = f"experts {moe.intermediate_size} wide do not divide over {parts} ranks ({how})"
    key = "dp" if pool.parallel.dp > 1 else "tp"
    whole = pool.parallel.tp * pool.parallel.dp if vllm else sizes.engine
    yield Violation(message, pool.path("parallel", key), f"use ep {whole}, which keeps experts whole")
