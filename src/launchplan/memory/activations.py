"""What a forward pass works on: the widest layer at a full batch, or the logits of all requests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from launchplan.memory.terms import Interval

if TYPE_CHECKING:
    from launchplan.architecture import Architecture

_ELEMENT_BYTES = 2
Sampler = Literal["sorts", "searches", "draws"]
"""How the sampler that is profiled finds the likeliest tokens: in sorted logits, by a search, or in place."""
# Bytes a logit: kept in 16 bits and once more in 32. A sampler that sorts has values, indices of 64 bits,
# probabilities and their sums beside: 38.5 in logs of vLLM 0.10 to 0.16 without FlashInfer's sampler, 48 in
# earlier ones. One that searches has probabilities and the noise that it draws with: 14.5 to 15.5 in logs of
# 0.17 to 0.19. How much it is with FlashInfer's sampler is not known.
_LOGIT_BYTES: dict[Sampler, Interval] = {
    "sorts": Interval(39, 6, 49),
    "searches": Interval(15, 6, 16),
    "draws": Interval.exactly(6),
}
# Input, residual and output of a layer.
_STREAMS = 3
# Gate, up and their product.
_MLP_PARTS = 3
# What a compiled layer certainly holds at once: gate, up, and their product unless it is quantized as made.
_COMPILED_PARTS = 2
# Dense models whose MLP has a gate.
_GATED = frozenset({"llama", "gemma2", "gemma3"})
_WITHOUT_GATE = frozenset({"starcoder2", "arcee"})


@dataclass(frozen=True, slots=True)
class Batch:
    """The largest step that an engine profiles."""

    tokens: int
    requests: int
    """Requests whose logits are computed at once."""
    tp: int = 1
    expert_parts: int = 1
    """Ranks that split one expert."""
    eager: bool = False
    """Layers run as written: nothing is fused, and no buffer is given back early."""
    sampler: Sampler = "draws"


@lru_cache(maxsize=4096)
def activation_bytes(model: Architecture, batch: Batch) -> Interval | None:
    """Compute the largest working set of a step; None when a size is unknown.

    It is a scale rather than a peak: what allocators and kernels hold differs by a calibrated factor.
    """
    hidden, vocabulary = model.hidden_size, model.vocab_size
    if not hidden or not vocabulary:
        return None
    streams = model.dims.get("hc_mult")
    copies = streams if isinstance(streams, int) and streams > 1 else 1
    layer = batch.tokens * _ELEMENT_BYTES * (_STREAMS * hidden * copies + _widest(model, batch, hidden))
    each = _LOGIT_BYTES[batch.sampler]
    logits = min(batch.requests, batch.tokens) * vocabulary
    return Interval(*(max(layer, logits * end) for end in (each.value, each.low, each.high)))


@lru_cache(maxsize=4096)
def least_activation_bytes(model: Architecture, batch: Batch) -> int:
    """Compute what one MLP of a dense model holds at once, whatever its kernels; 0 where that is not known.

    As written (vLLM model_executor/models/llama.py, LlamaMLP.forward), gate and up, their product, the result
    and the caller's input and residual are all alive at the end. Compiled, only gate, up and product must be.
    """
    gated = model.family in _GATED and model.text_model_type not in _WITHOUT_GATE
    if model.moe is not None or not gated or not model.hidden_size:
        return 0
    width = (model.intermediate_size or 0) // batch.tp
    if batch.eager:
        parts, streams = _MLP_PARTS, _STREAMS
    else:
        parts, streams = _COMPILED_PARTS if model.quantization.is_quantized else _MLP_PARTS, 0
    return batch.tokens * _ELEMENT_BYTES * (parts * width + streams * model.hidden_size)


def _widest(model: Architecture, batch: Batch, hidden: int) -> int:
    """Give the elements of a token in the widest feed-forward layer of a rank."""
    dense = _MLP_PARTS * (model.intermediate_size or 0) // batch.tp
    moe = model.moe
    if moe is None:
        return dense
    width = _MLP_PARTS * (moe.intermediate_size or 0) // batch.expert_parts
    routed = (moe.experts_per_token or 1) * (width + hidden)
    has_dense = model.count_mlp("dense") > 0
    return max(routed, dense if has_dense else 0)
