"""DeepSeek sparse attention on a GPU that vLLM has no backend for.

## Why

The sparse attention of DeepSeek-V3.2 and GLM-5 exists in vLLM for Hopper and Blackwell. On older GPUs the
workers find no attention backend.

## Fix

Use a Hopper or Blackwell GPU, or a model with dense attention.

## References

- vLLM 0.33.0 `vllm/platforms/cuda.py:472`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from launchplan.engines.view import EngineView
from launchplan.engines.vllm.attention import Layer
from launchplan.engines.vllm.attention_choice import chosen
from launchplan.engines.vllm.layers import asked_backend, attention_layers
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "QNT107",
    "sparse-attention-needs-gpu",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/platforms/cuda.py:472 (0.33.0)",
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for sparse layers that nothing serves, whatever else is asked."""
    model = view.architecture
    if view.gpu is None or model is None or not model.sparse_indexer or asked_backend(view):
        return
    for layer in attention_layers(view):
        if layer.sparse and chosen(_plain(layer)) is None:
            has = f"{layer.capability[0]}.{layer.capability[1]}"
            message = f"sparse attention needs compute capability 9.0 on vllm; {view.gpu.id} has {has}"
            yield Violation(message, ("hardware", "gpu"), "use a Hopper or Blackwell GPU")


def _plain(layer: Layer) -> Layer:
    return replace(layer, kv_dtype="auto", block_size=None, pcp=False, dcp=False, dcp_size=1)
