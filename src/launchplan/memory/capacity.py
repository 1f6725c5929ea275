"""What a pool serves: tokens, requests of some length, and what another choice would change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from launchplan.memory.budget import Budget

Limit = Literal["pool", "states", "max_num_seqs"]
"""What keeps more requests from running: memory for KV, slots for state, the engine's own limit."""


@dataclass(frozen=True, slots=True)
class Count:
    """A figure that follows from the pool, at the ends of its interval too."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Concurrency:
    """How many requests of one length run at the same time on one replica."""

    name: str
    """`mean`, `tail` or `max_model_len`."""
    tokens: int
    requests: Count
    request_bytes: int
    """What one such request takes from the pool."""
    limit: Limit = "pool"


@dataclass(frozen=True, slots=True)
class Capacity:
    """What one attention replica serves: the ranks that share one pool of tokens."""

    pool_tokens: Count
    """As the engine's log prints it; of a hybrid model in vLLM it depends on max_model_len."""
    concurrency: tuple[Concurrency, ...]
    replicas: int = 1
    """Data parallel ranks with a pool of their own each."""
    state_slots: Count | None = None
    """Requests whose recurrent state fits; None for models without, and where the pool is shared with KV."""
    max_running: int | None = None
    blocks: Count | None = None
    """vLLM's `num_gpu_blocks`, which recurrent state takes from, too; None for SGLang."""

    def of(self, name: str) -> Concurrency | None:
        """Give the concurrency at one of the lengths."""
        return next((each for each in self.concurrency if each.name == name), None)


@dataclass(frozen=True, slots=True)
class Choice:
    """Another setting, and what the pool would be with it."""

    name: str
    """The setting as a recipe writes it: `parallel.dcp: 8`."""
    pool_tokens: Count
    requests: Count
    """At the length that the report is about."""


@dataclass(frozen=True, slots=True)
class RankMemory:
    """Budget and capacity of one kind of rank."""

    budget: Budget
    capacity: Capacity
    stage: int = 0
    """The pipeline stage that the rank stands in: the one that limits the pool."""
    stages: int = 1


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of requests that a capacity is asked for, by name."""

    max_model_len: int
    mean: int | None = None
    tail: int | None = None

    @property
    def named(self) -> tuple[tuple[str, int], ...]:
        """Every length that is known, the shortest first."""
        known = (("mean", self.mean), ("tail", self.tail), ("max_model_len", self.max_model_len))
        return tuple((name, min(tokens, self.max_model_len)) for name, tokens in known if tokens)

    @property
    def usual(self) -> tuple[str, int]:
        """The length that choices are compared at: the workload's mean, else its tail, else the longest."""
        return self.named[0]
