"""Decode context parallelism over a 16-bit cache of sparse attention.

## Why

FlashMLA's sparse kernels return the softmax sums that decode context parallelism adds up only for the
packed FP8 cache (`fp8_ds_mla`). vLLM's configuration lets the 16-bit cache through; the workers refuse
it. FlashMLA is what vLLM takes on Hopper, and on Blackwell with more than 16 query heads a rank.

## Fix

`kv_cache_dtype: fp8_ds_mla`.

## References

- vLLM 0.33.0 `vllm/v1/attention/backends/mla/flashmla_sparse.py:787`, `vllm/platforms/cuda.py:80-118`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.engines.vllm.attention import PLAIN
from launchplan.engines.vllm.attention_choice import chosen
from launchplan.engines.vllm.layers import SPARSE, asked_backend, attention_layers
from launchplan.rules.rule import ERROR, Violation, rule

BACKEND = "FLASHMLA_SPARSE"


@rule(
    "PAR124",
    "sparse-dcp-needs-fp8",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/v1/attention/backends/mla/flashmla_sparse.py:787 (0.33.0)",
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for a 16-bit cache that is shared by position."""
    model = view.architecture
    if (
        model is None
        or model.family not in SPARSE
        or (view.arguments["decode_context_parallel_size"] or 1) == 1
    ):
        return
    for layer in attention_layers(view):
        best = chosen(layer)
        name = asked_backend(view) or (best.name if best else None)
        if layer.sparse and layer.dcp and layer.kv_dtype in PLAIN and name == BACKEND:
            message = f"dcp {layer.dcp_size} with sparse attention in {BACKEND} needs the fp8_ds_mla KV cache"
            path = view.path("decode_context_parallel_size")
            yield Violation(message, path, "add 'kv_cache_dtype: fp8_ds_mla' to serve")
            return
