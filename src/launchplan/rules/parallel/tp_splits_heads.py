"""Tensor parallel size does not divide the attention heads.

## Why

Tensor parallelism gives each rank the same number of attention heads, so the number of heads must be a
multiple of the size. Neither engine pads query heads; both refuse at start, vLLM before it loads anything,
SGLang when the model is built. SGLang's attention runs at `--tp-size / --attn-dp-size`, which is the
recipe's `tp`.

## Fix

Take a size that divides the heads. Where the number of GPUs is given, keep them busy with pipeline stages:
12 GPUs and 64 heads are tp 4 x pp 3.

## References

- vLLM 0.33.0 `vllm/config/model.py:1560`; where layers have heads of their own number, each of them,
  `model_executor/models/laguna.py:282`
- SGLang 0.5.23 `models/deepseek_v2.py:2057`, `models/qwen3_moe.py:506`, `models/llama.py:183`,
  `models/laguna.py:262` and the same assertion in the other models
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.cures import tp_cure
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sizes import sizes_of
from launchplan.rules.splits import query_heads
from launchplan.units import plural


@rule(
    "PAR101",
    "tp-splits-heads",
    severity=ERROR,
    source={
        "vllm": "vllm/config/model.py:1560 (0.33.0)",
        "sglang": "sglang/srt/models/<model>.py, assertion on attention heads (0.5.23)",
    },
    at={"vllm": "config", "sglang": "worker"},
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the attention heads with the ranks that share them."""
    model, size = view.architecture, sizes_of(view).attention
    if model is None or not size:
        return
    left = next((count for count in query_heads(model) if count % size), None)
    if left is None:
        return
    if view.engine == "sglang" and not model.known:
        return  # the assertion stands in each model class; what an unknown class asserts nobody says
    message = f"tp {size} does not divide {plural(left, 'attention head')}"
    yield Violation(message, view.pool.path("parallel", "tp"), tp_cure(view.pool))
