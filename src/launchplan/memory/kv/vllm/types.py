"""What vLLM's KV cache plan is made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Literal

CacheKind = Literal["full", "latent", "sliding", "sliding_latent", "chunked", "state"]
CacheMode = Literal["none", "align", "all"]
"""How recurrent state is cached: one block a request, two at block boundaries, or one at each boundary."""

# Kinds that share a group when their blocks are alike.
_BASE: dict[CacheKind, str] = {"full": "full", "latent": "full"}


@dataclass(frozen=True, slots=True)
class VllmCacheSettings:
    """What the engine has resolved before it plans the KV cache."""

    max_model_len: int
    tp: int = 1
    dcp: int = 1
    cache_dtype: str = "auto"
    """`auto` means the model's dtype; the packed layouts have names of their own (`fp8_ds_mla`)."""
    block_size: int = 16
    """Tokens of a block as the attention backend takes it, before hybrid models align it."""
    kernel_block: int = 16
    """The smallest block of the attention kernel, of which a hybrid model's block is a multiple."""
    state_alignment: int = 1
    """Tokens between the checkpoints of recurrent state in a prefill; 1 without them."""
    state_dtype: str | None = None
    """`--mamba-ssm-cache-dtype`; None leaves it to the model."""
    cache_mode: CacheMode = "align"
    in_flight_tokens: int = 16384
    """Batches that run at once, times the tokens of a batch."""
    speculative_tokens: int = 0
    draft_layers: int = 0
    """Attention layers that the draft adds to the cache."""
    prefill_checkpoints: int = 0


@dataclass(frozen=True, slots=True)
class Cache:
    """The cache of one layer, or one of the caches that it has."""

    kind: CacheKind
    block_tokens: int
    cell_bytes: Fraction
    """Bytes of one stored state; of recurrent state, all of it."""
    tokens_per_state: int = 1
    window: int = 0
    padded_bytes: int = 0
    alignment: int = 1
    """A page's bytes are rounded up to a multiple of this."""
    page_bytes: int = field(init=False, compare=False)
    """Bytes of one block of this layer."""

    def __post_init__(self) -> None:
        states = 1 if self.kind == "state" else self.block_tokens // self.tokens_per_state
        whole = ceil(self.cell_bytes * states)
        page = max(ceil(whole / self.alignment) * self.alignment, self.padded_bytes)
        # Asked for once a layer and group, so it is worked out once.
        object.__setattr__(self, "page_bytes", page)

    @property
    def base(self) -> str:
        """The kind that a uniform group has in common."""
        name = _BASE.get(self.kind, self.kind)
        return f"{name} {self.window}" if self.window else name

    def blocks_per_request(self, settings: VllmCacheSettings, tokens: int) -> int:
        """Count the blocks that a request of so many tokens holds: v1/kv_cache_interface.py:643-955."""
        if self.kind == "state":
            return _state_blocks(settings, self.block_tokens, tokens)
        if self.kind in {"sliding", "sliding_latent"}:
            held = min(self.window - 1 + settings.in_flight_tokens, tokens)
            return ceil(held / self.block_tokens) + 1
        if self.kind == "chunked":
            return ceil(min(self.window + settings.in_flight_tokens, tokens) / self.block_tokens)
        return ceil(ceil(tokens / settings.dcp) / self.block_tokens)


def _state_blocks(settings: VllmCacheSettings, block_tokens: int, tokens: int) -> int:
    if settings.cache_mode == "none":
        return 1 + settings.speculative_tokens
    if settings.cache_mode == "align":
        return 2 + settings.speculative_tokens + settings.prefill_checkpoints
    return ceil(tokens / block_tokens) + settings.speculative_tokens


@dataclass(frozen=True, slots=True)
class Group:
    """Caches whose layers take a block together."""

    caches: tuple[Cache, ...]
    page_bytes: int = field(init=False, compare=False)
    """Bytes of a block over all its layers."""
    kinds: tuple[Cache, ...] = field(init=False, compare=False, repr=False)
    """One cache of each kind that asks for blocks of its own."""

    def __post_init__(self) -> None:
        # Layers that are alike share an object, which is quicker to tell apart than its fields.
        distinct = {id(cache): cache for cache in self.caches}.values()
        kinds = {(cache.kind, cache.block_tokens, cache.window): cache for cache in distinct}
        object.__setattr__(self, "page_bytes", sum([cache.page_bytes for cache in self.caches]))
        object.__setattr__(self, "kinds", tuple(kinds.values()))

    def blocks_per_request(self, settings: VllmCacheSettings, tokens: int) -> int:
        """Count the blocks that a request holds in this group."""
        return max(cache.blocks_per_request(settings, tokens) for cache in self.kinds)


@dataclass(frozen=True, slots=True)
class CachePlan:
    """The KV cache of one rank, without the number of blocks that memory allows."""

    settings: VllmCacheSettings
    caches: tuple[Cache, ...]
    groups: tuple[Group, ...]
    block_tokens: int
    """Tokens of a block of the attention layers."""
    block_bytes: int = field(init=False, compare=False)
    """Bytes that one block takes in the pool, which all groups share."""

    def __post_init__(self) -> None:
        widest = max((group.page_bytes for group in self.groups), default=0)
        object.__setattr__(self, "block_bytes", widest)

    def blocks_per_request(self, tokens: int | None = None) -> int:
        """Count the blocks of a request of some length, the longest one by default."""
        length = self.settings.max_model_len if tokens is None else tokens
        return sum(group.blocks_per_request(self.settings, length) for group in self.groups)

    def blocks(self, available_bytes: int) -> int:
        """Count the blocks that fit: vLLM's `num_gpu_blocks`."""
        return available_bytes // self.block_bytes if self.block_bytes else 0

    def concurrency(self, blocks: int, tokens: int | None = None) -> float:
        """Give how many requests of some length fit: vLLM's "Maximum concurrency"."""
        needed = self.blocks_per_request(tokens)
        return blocks / needed if needed else 0.0

    def tokens(self, blocks: int) -> int:
        """Give vLLM's "GPU KV cache size" in tokens, which of a hybrid model depends on max_model_len."""
        return int(self.concurrency(blocks) * self.settings.max_model_len)
