"""The speed of light of decoding: bytes that a step must read, over the memory bandwidth of its ranks.

A bound and never a forecast: it leaves out arithmetic, links between GPUs, launches, scheduling, and takes
every draft token as accepted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.memory.tensors import TensorClass
    from launchplan.memory.weights import RankWeights

# Looked up by row, run once an image, or needed by drafts only.
_NOT_READ: frozenset[TensorClass] = frozenset({"embedding", "vision", "projector", "mtp", "buffers"})


@dataclass(frozen=True, slots=True)
class DecodeBound:
    """What no run can exceed."""

    active_bytes: int
    """Parameter bytes of a rank that one token needs, over all pipeline stages."""
    tokens_per_s_per_user: float
    """One request alone, with every draft token accepted."""
    batch: int
    """Requests of the usual length that the pool holds."""
    tokens_per_s: float
    """Of one replica with that batch."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a decode step of one replica reads and yields."""

    bandwidth: int
    """Bytes a second of one GPU."""
    drafts: int = 0
    """Draft tokens that a step may add."""
    batch: int = 1
    request_bytes: int = 0
    """Bytes of the pool that one request takes on a rank."""


def decode_bound(model: Architecture, ranks: Iterable[RankWeights], step: Step) -> DecodeBound:
    """Compute the bound from the weights of a rank of each pipeline stage, which a token passes in turn."""
    stages = tuple(ranks)
    each = [active_bytes(model, rank) for rank in stages]
    alone, batch = sum(each), max(step.batch, 1)
    # Stages work on different batches at the same time: the slowest one sets the pace.
    loaded = max(each)
    loaded += batch * step.request_bytes // len(stages)
    tokens = 1 + step.drafts
    return DecodeBound(
        alone, tokens * step.bandwidth / alone, batch, tokens * batch * step.bandwidth / loaded
    )


def active_bytes(model: Architecture, rank: RankWeights) -> int:
    """Count the parameter bytes that a step reads at least.

    Of the experts it reads those of one token: the tokens of a batch may all be sent to the same ones.
    """
    tied = "lm_head" not in rank.by_class
    read = sum(
        size
        for kind, size in rank.by_class.items()
        if kind != "experts" and (kind not in _NOT_READ or (kind == "embedding" and tied))
    )
    moe = model.moe
    share = min(1.0, moe.experts_per_token / moe.num_experts) if moe and moe.experts_per_token else 1.0
    return read + round(rank.by_class.get("experts", 0) * share)
