"""Tensor parallel size does not divide the heads of the vision tower.

## Why

The towers of these models are split over the same ranks as the language model, and have 16 heads. Serving
text only does not help: the tower is still built.

## Fix

Give each rank the whole tower and split the images instead: `mm-encoder-tp-mode: data` under `args` for
vLLM, `mm-enable-dp-encoder: true` for SGLang. Or take a smaller `tp`.

## References

- vLLM 0.33.0 `vllm/model_executor/models/qwen2_5_vl.py:374`,
  `vllm/models/minimax_m3/common/vision_tower.py:99`
- SGLang 0.5.23 `layers/attention/vision.py:1132`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sizes import sizes_of
from launchplan.rules.splits import heads, vision_heads
from launchplan.units import plural

CURES = {"vllm": "mm-encoder-tp-mode: data", "sglang": "mm-enable-dp-encoder: true"}


@rule(
    "PAR117",
    "tp-splits-vision-heads",
    severity=ERROR,
    source={
        "vllm": "vllm/model_executor/models/qwen2_5_vl.py:374 (0.33.0)",
        "sglang": "sglang/srt/layers/attention/vision.py:1132 (0.5.23)",
    },
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the tower's heads with the ranks that share them."""
    model, size = view.architecture, sizes_of(view).attention
    if (
        model is None
        or not size
        or model.vision is None
        or model.vision.num_heads is None
        or not heads(model, size)
    ):
        return
    if vision_heads(view.pool, model, size):
        return
    message = f"tp {size} does not divide {plural(model.vision.num_heads, 'head')} of the vision tower"
    fix = f"put '{CURES[view.engine]}' under args, or use tp {model.vision.num_heads} or less"
    yield Violation(message, view.pool.path("parallel", "tp"), fix)
