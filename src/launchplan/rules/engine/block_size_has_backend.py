"""No attention backend takes this block size.

## Why

Attention kernels read the KV cache in pages of 16, 32, 64 or 128 tokens. vLLM's configuration takes any
`--block-size`; the workers then find that no backend for the model and GPU can use it.

## Fix

Leave the flag out: the backend's own size is the default. Otherwise a multiple of the backend's step.

## References

- vLLM 0.33.0 `vllm/platforms/cuda.py:472`, `vllm/v1/attention/backend.py:112`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from launchplan.engines.view import EngineView
from launchplan.engines.vllm.attention import Backend
from launchplan.engines.vllm.attention_choice import chosen
from launchplan.engines.vllm.layers import asked_backend, attention_layers
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "ENG402",
    "block-size-has-backend",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/platforms/cuda.py:472 (0.33.0)",
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for a layer that is served with any other block size only."""
    if not view.arguments["block_size"] or asked_backend(view):
        return
    for layer in attention_layers(view):
        if not layer.block_size or chosen(layer) is not None:
            continue
        other = chosen(replace(layer, block_size=None))
        if other is not None:
            message = f"no attention backend for this model and GPU takes block size {layer.block_size}"
            yield Violation(message, view.path("block_size"), _cure(other))
            return


def _cure(backend: Backend) -> str:
    steps = " or ".join(str(step) for step in backend.blocks)
    return f"leave it out, or use a multiple of {steps}, which {backend.name} takes"
