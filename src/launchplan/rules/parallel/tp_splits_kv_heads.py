"""Tensor parallel size and KV heads do not divide each other.

## Why

KV heads are either split evenly over the ranks or, when there are fewer of them, copied evenly. Anything in
between has no layout: 8 KV heads over 6 or 12 ranks. vLLM's configuration check lets it pass; the worker
dies while it builds the model.

## Fix

Take a size that divides the KV heads or is a multiple of them, and that divides the query heads as well.

## References

- vLLM 0.33.0 `vllm/model_executor/layers/linear.py:1066-1071`, `models/minimax_m2.py:164`,
  `models/qwen3_moe.py:271`
- SGLang 0.5.23 `models/qwen3_moe.py:509-516`, `models/minimax_m2.py:654`, `layers/linear.py:1140-1145`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.cures import tp_cure
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sizes import sizes_of
from launchplan.rules.splits import heads, kv_heads
from launchplan.units import plural


@rule(
    "PAR103",
    "tp-splits-kv-heads",
    severity=ERROR,
    source={
        "vllm": "vllm/model_executor/layers/linear.py:1066-1071 (0.33.0)",
        "sglang": "sglang/srt/layers/linear.py:1140-1145 (0.5.23)",
    },
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the KV heads with the ranks that share them."""
    model, size = view.architecture, sizes_of(view).attention
    if (
        model is None
        or not size
        or model.num_key_value_heads is None
        or kv_heads(model, size)
        or not heads(model, size)
    ):
        return  # heads that do not split are PAR101
    count = plural(model.num_key_value_heads, "KV head")
    message = f"{count} can be neither split nor copied evenly over tp {size}"
    yield Violation(message, view.pool.path("parallel", "tp"), tp_cure(view.pool))
