"""More pipeline stages than layers.

## Why

A stage without a layer has nothing to run. SGLang asserts it; vLLM accepts the size and the worker of an
empty stage dies on whatever it looks for first.

## Fix

Lower `pp` to the number of layers at most, and use the other GPUs as tensor or data parallel ranks.

## References

- vLLM 0.33.0 `vllm/model_executor/models/qwen3_moe.py:607` (seen with 48 layers and pp 200)
- SGLang 0.5.23 `utils/common.py:1635` (`make_layers`)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.units import plural


@rule(
    "PAR104",
    "pp-within-layers",
    severity=ERROR,
    source={
        "vllm": "vllm/model_executor/models/qwen3_moe.py:607 (0.33.0)",
        "sglang": "sglang/srt/utils/common.py:1635 (0.5.23)",
    },
    at="worker",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the stages with the layers."""
    layers = pool.architecture.num_hidden_layers if pool.architecture else None
    if layers is None or pool.parallel.pp <= layers:
        return
    message = f"pp {pool.parallel.pp} makes more stages than there are layers ({layers})"
    yield Violation(
        message, pool.path("parallel", "pp"), f"use pp {layers} at most: {plural(1, 'layer')} a stage"
    )
