"""The attention backend asked for does not serve this model on this GPU.

## Why

vLLM checks an explicit `--attention-backend` against the model's attention (latent or not, sparse, head
size, sinks, sliding windows), the type of the KV cache, the block size and the GPU when the workers build
the model, and stops there. Left alone it takes the first backend that fits.

## Fix

Leave the flag out, or name a backend that serves the model.

## References

- vLLM 0.33.0 `vllm/platforms/cuda.py:443`, `vllm/v1/attention/backend.py:279`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.engines.vllm.attention import Layer, reasons
from launchplan.engines.vllm.attention_choice import chosen
from launchplan.engines.vllm.attention_table import BACKENDS
from launchplan.engines.vllm.layers import asked_backend, attention_layers
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "ENG401",
    "attention-backend-serves",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/platforms/cuda.py:443 (0.33.0)",
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Ask the named backend for every kind of attention layer."""
    name = asked_backend(view)
    backend = BACKENDS.get(name) if name else None
    if backend is None:
        return
    for layer in attention_layers(view):
        lacks = reasons(backend, layer)
        if lacks:
            source = f"vllm/platforms/cuda.py:443, vllm/v1/attention/backends/{backend.source} (0.33.0)"
            message = f"attention backend {name} does not serve this launch: {lacks[0]}"
            yield Violation(message, view.path("attention_backend"), _cure(layer), source)
            return


def _cure(layer: Layer) -> str:
    best = chosen(layer)
    return f"leave it out; vllm takes {best.name} by itself" if best else "leave it out"
