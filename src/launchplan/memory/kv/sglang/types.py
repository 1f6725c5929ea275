"""What SGLang's pools are made from, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class SglangPoolSettings:
    """What the engine has resolved before it sizes its pools."""

    attention_tp: int = 1
    """Ranks that split the heads: tensor parallel ranks over data parallel attention."""
    attention_dp: int = 1
    dcp: int = 1
    pp: int = 1
    cache_dtype: str = "auto"
    page_size: int = 1
    context_length: int = 4096
    packed_latent: bool = True
    """fp8 latents of sparse attention are stored with their scales; the TensorRT-LLM layout has none."""
    window_ratio: Fraction = Fraction(4, 5)
    """Tokens of the sliding window's pool for one of the full pool: `--swa-full-tokens-ratio`."""
    state_dtype: str = "float32"
    """`--mamba-ssm-dtype`."""
    state_memory_ratio: float = 0.9
    """Memory of the state pool for one of the KV pool: `--mamba-full-memory-ratio`."""
    max_state_slots: int | None = None
    """`--max-mamba-cache-size`, over all data parallel ranks."""
    max_running_requests: int | None = None
    max_total_tokens: int | None = None
    radix_cache: bool = True
    slots_per_request: int = 5
    """State slots that a request takes; see `slots_per_request`."""
    draft_tokens: int = 0
    draft_layers: int = 0


@dataclass(frozen=True, slots=True)
class Cell:
    """What one token takes over the layers of a stage."""

    full_bytes: Fraction
    window_bytes: Fraction = Fraction(0)
    """Of one token in the layers with a sliding window."""
    ratio: Fraction = Fraction(0)
    """Window tokens for one full token."""
    fixed_bytes: int = 0
    """What does not grow with the tokens."""

    bytes: Fraction = field(init=False, compare=False)
    """Bytes of the pools for one token of the full pool."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "bytes", self.full_bytes + self.ratio * self.window_bytes)


@dataclass(frozen=True, slots=True)
class PoolPlan:
    """The pools of one rank."""

    cell: Cell
    tokens: int
    """Tokens of the KV pool on this rank."""
    window_tokens: int | None
    state_slots: int | None
    """Requests' states that the pool holds; None for a model without recurrent layers."""
    state_bytes: int
    """Bytes of one slot on the stage with the most recurrent layers."""
    max_running_requests: int
    logical_tokens: int
    """Tokens over all ranks that share a context."""
