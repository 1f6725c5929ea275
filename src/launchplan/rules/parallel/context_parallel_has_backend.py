"""No attention backend splits a context this way.

## Why

Prefill context parallelism is implemented by vLLM's latent attention alone, and there not together with
decode context parallelism, except for DeepSeek's sparse attention. Decode context parallelism needs a
backend that returns its softmax sums. The configuration accepts either size; the workers find no backend.

## Fix

Leave `prefill-context-parallel-size` out, or use one of the two sizes.

## References

- vLLM 0.33.0 `vllm/platforms/cuda.py:472`, `vllm/v1/attention/backend.py:823`,
  `model_executor/layers/attention/mla_attention.py:691`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from launchplan.engines.view import EngineView
from launchplan.engines.vllm.attention import Layer
from launchplan.engines.vllm.attention_choice import chosen
from launchplan.engines.vllm.layers import asked_backend, attention_layers
from launchplan.rules.rule import ERROR, Violation, rule

PCP, DCP = "prefill_context_parallel_size", "decode_context_parallel_size"


@rule(
    "PAR401",
    "context-parallel-has-backend",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/platforms/cuda.py:472 (0.33.0)",
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for a layer that is served without context parallelism only."""
    if (view.arguments[PCP] or 1) == 1 and (view.arguments[DCP] or 1) == 1:
        return
    for layer in attention_layers(view):
        problem = _problem(view, layer)
        if problem is not None:
            yield problem
            return


def _problem(view: EngineView, layer: Layer) -> Violation | None:
    both = f"prefill-context-parallel-size {view.arguments[PCP]} beside dcp {view.arguments[DCP]}"
    if layer.mla and layer.pcp and layer.dcp and not layer.sparse:
        source = "vllm/model_executor/layers/attention/mla_attention.py:691 (0.33.0)"
        return Violation(f"latent attention takes no {both}", view.path(PCP), "use one of the two", source)
    if asked_backend(view) or chosen(layer) is not None:
        return None
    if layer.pcp and chosen(replace(layer, pcp=False)) is not None:
        message = (
            f"no attention backend for this model takes prefill-context-parallel-size {view.arguments[PCP]}"
        )
        return Violation(message, view.path(PCP), "leave it out: only latent attention has it")
    if layer.dcp and chosen(replace(layer, dcp=False, dcp_size=1)) is not None:
        message = f"no attention backend for this model and GPU takes dcp {layer.dcp_size}"
        return Violation(message, view.path(DCP), "leave dcp out")
    return None
