"""What a forward pass works on: the widest layer at a full batch, or the logits of all requests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launchplan.architecture import Architecture

_ELEMENT_BYTES = 2
# Logits are kept in 16 bits and once more in 32.
_LOGIT_BYTES = 6
# Input, residual and output of a layer.
_STREAMS = 3
# Gate, up and their product.
_MLP_PARTS = 3


@dataclass(frozen=True, slots=True)
class Batch:
    """The largest step that an engine profiles."""

    tokens: int
    requests: int
    """Requests whose logits are computed at once."""
    tp: int = 1
    expert_parts: int = 1
    """Ranks that split one expert."""


@lru_cache(maxsize=4096)
def activation_bytes(model: Architecture, batch: Batch) -> int | None:
    """Compute the largest working set of a step; None when a size is unknown.

    It is a scale rather than a peak: what allocators and kernels hold differs by a calibrated factor.
    """
    hidden, vocabulary = model.hidden_size, model.vocab_size
    if not hidden or not vocabulary:
        return None
    streams = model.dims.get("hc_mult")
    copies = streams if isinstance(streams, int) and streams > 1 else 1
    layer = batch.tokens * _ELEMENT_BYTES * (_STREAMS * hidden * copies + _widest(model, batch, hidden))
    logits = min(batch.requests, batch.tokens) * vocabulary * _LOGIT_BYTES
    return max(layer, logits)


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
