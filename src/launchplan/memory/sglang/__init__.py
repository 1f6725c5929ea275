"""How SGLang 0.5.23 cuts a model."""

from __future__ import annotations

from launchplan.memory.sglang.cut import SglangWeights, sglang_cut, stage_layers

__all__ = ["SglangWeights", "sglang_cut", "stage_layers"]
