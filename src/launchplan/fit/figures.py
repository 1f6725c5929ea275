"""The figures of one layout's memory that offers are compared and reported by: plain numbers."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines.budgets import PoolMemory
from launchplan.memory.capacity import Count
from launchplan.memory.terms import Interval


@dataclass(frozen=True, slots=True)
class Figures:
    """What all replicas of a layout hold, and how fast they are at most."""

    pool: Interval
    """Bytes of a GPU's pool."""
    pool_tokens: Count
    """Tokens that the pools of all replicas hold."""
    requests: Count
    """Requests of the usual length that run at once on all replicas."""
    request_tokens: int
    """The length that requests are counted at: the workload's mean, else max_model_len."""
    longest: Count | None
    """Requests of max_model_len that run at once on one replica."""
    draft_counted: bool
    """Whether weights of a draft are part of the memory."""
    tokens_per_s_per_user: float | None
    """The bound of one request alone; None for a GPU whose bandwidth is not known."""
    tokens_per_s: float | None
    """The bound of all replicas, each with as many requests as it holds."""


def figures_of(held: PoolMemory) -> Figures:
    """Take the figures out of the memory of the fullest rank."""
    capacity, bound, inputs = held.memory.capacity, held.bound, held.inputs
    replicas = capacity.replicas * held.view.pool.replicas
    usual, longest = capacity.concurrency[0], capacity.of("max_model_len")
    return Figures(
        pool=held.memory.budget.pool.bytes,
        pool_tokens=_times(capacity.pool_tokens, replicas),
        requests=_times(usual.requests, replicas),
        request_tokens=usual.tokens,
        longest=longest.requests if longest is not None else None,
        draft_counted=inputs.draft is not None or (inputs.weights.mtp and bool(inputs.model.mtp_layers)),
        tokens_per_s_per_user=bound.tokens_per_s_per_user if bound else None,
        tokens_per_s=bound.tokens_per_s * replicas if bound else None,
    )


def _times(count: Count, factor: int) -> Count:
    return Count(count.value * factor, count.low * factor, count.high * factor)
