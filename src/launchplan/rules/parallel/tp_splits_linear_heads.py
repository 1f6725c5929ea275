"""Tensor parallel size does not divide the heads or groups of the recurrent layers.

## Why

Gated DeltaNet, KDA and Mamba2 layers split their own heads over the same ranks as attention, and they often
have fewer. Unlike KV heads they are never copied, save a single Mamba2 group. vLLM finds out in the worker.

## Fix

Take a smaller `tp`; add GPUs with `pp`, or with `dp` (and `ep` for experts).

## References

- vLLM 0.33.0 `vllm/model_executor/layers/mamba/mamba_mixer2.py:316`, `:320`
- SGLang 0.5.23 `layers/attention/mamba/mamba.py:249`, `configs/mamba_utils.py:225-230`, `:345-349`,
  `models/kimi_linear.py:62`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.architecture import LinearAttention
from launchplan.engines.view import EngineView
from launchplan.rules.cures import tp_cure
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sizes import sizes_of
from launchplan.units import plural

NAMES = {"gdn": "Gated DeltaNet", "kda": "KDA", "mamba2": "Mamba2", "conv": "convolution"}


@rule(
    "PAR114",
    "tp-splits-linear-heads",
    severity=ERROR,
    source={
        "vllm": "vllm/model_executor/layers/mamba/mamba_mixer2.py:316, 320 (0.33.0)",
        "sglang": "sglang/srt/layers/attention/mamba/mamba.py:249 (0.5.23)",
    },
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the recurrent heads with the ranks that share them."""
    linear = view.architecture.linear_attention if view.architecture else None
    size = sizes_of(view).attention
    if linear is None or not size:
        return
    for count, what in _parts(linear):
        if count is not None and count % size:
            message = f"tp {size} does not divide {plural(count, f'{NAMES[linear.kind]} {what}')}"
            yield Violation(message, view.pool.path("parallel", "tp"), tp_cure(view.pool))
            return


def _parts(linear: LinearAttention) -> tuple[tuple[int | None, str], ...]:
    groups = None if linear.num_groups == 1 else linear.num_groups
    unit = "channel" if linear.kind == "conv" else "head"
    return ((linear.num_value_heads, unit), (groups, "group"))
