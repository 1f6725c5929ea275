"""How vLLM 0.33.0 cuts a model, which sizes its kernels round, and what it keeps besides parameters."""

from __future__ import annotations

from launchplan.memory.vllm.cut import VllmWeights, stage_layers, vllm_cut

__all__ = ["VllmWeights", "stage_layers", "vllm_cut"]
