"""Tensor parallel size does not divide the width of the dense layers.

## Why

The MLPs of dense layers, and the experts that see every token, are cut by columns: each rank must get as
many. vLLM and SGLang assert it when they build the layer.

## Fix

A size that divides heads, vocabulary and widths; the rule names the nearest ones.

## References

- vLLM 0.33.0 `vllm/model_executor/layers/linear.py:497`, `:731`, `vllm/distributed/utils.py:53`
- SGLang 0.5.23 `layers/linear.py:483`, `distributed/utils.py:70`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.engines.view import EngineView
from launchplan.rules.cures import tp_cure
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sizes import sizes_of
from launchplan.rules.splits import heads, vocabulary


@rule(
    "PAR405",
    "tp-splits-layer-width",
    severity=ERROR,
    source={
        "vllm": "vllm/model_executor/layers/linear.py:497 (0.33.0)",
        "sglang": "sglang/srt/layers/linear.py:483 (0.5.23)",
    },
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the dense layers with the ranks that share them."""
    model, sizes = view.architecture, sizes_of(view)
    width, size = model.dense_intermediate_size if model else None, sizes.dense
    if model is None or not model.known or width is None or width % size == 0 or not heads(model, size):
        return  # heads that do not split are PAR101
    if view.engine == "vllm" and not vocabulary(model, size):
        return  # PAR116
    if isinstance(view, SglangView) and view.settings.attn_dp_size > 1:
        return  # which group cuts the dense layers then, each model class says
    message = f"tp {size} does not divide dense layers {width} wide"
    cure = tp_cure(view.pool, lambda tp: width % tp == 0)
    yield Violation(message, view.pool.path("parallel", "tp"), cure)
