"""DeepSeek V4's caches: a window of its own states, compressed states, and what compressors carry over.

vLLM 0.33.0 models/deepseek_v4/{attention.py:860, compressor.py:150}, v1/attention/backends/mla/sparse_swa.py.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from launchplan.memory.inventory.sizes import Sizes
from launchplan.memory.kv.vllm.types import Cache

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.memory.kv.vllm.types import VllmCacheSettings

BLOCK = 256
_WINDOW_BLOCK = 64
# A state of 512 elements: 448 in 8 bits, 64 rotated ones in 16, and their scales.
_STATE_BYTES = 584
_PAGE_ALIGNMENT = 576
_INDEXED_RATIO = 4
_INDEXED_CARRY_BLOCK, _CARRY_BLOCK = 4, 8
_FLOAT = 4


def list_caches(
    model: Architecture, settings: VllmCacheSettings, layers: tuple[int, ...]
) -> tuple[Cache, ...]:
    """List the caches of some layers and of the draft's."""
    sizes = Sizes(model)
    ratios, window = sizes.integers("compress_ratios"), sizes.integer("sliding_window")
    near = Cache(
        "sliding_latent", _WINDOW_BLOCK, Fraction(_STATE_BYTES), window=window, alignment=_PAGE_ALIGNMENT
    )
    far = {ratio: _compressed(sizes, ratio) for ratio in set(ratios)}
    found: list[Cache] = []
    for number in layers:
        found += [near, *far[ratios[number]]]
    return tuple(found) + (near,) * settings.draft_layers


def _compressed(sizes: Sizes, ratio: int) -> list[Cache]:
    if ratio <= 1:
        return []
    far = _far(Fraction(_STATE_BYTES), ratio)
    if ratio != _INDEXED_RATIO:
        return [far, _carry(sizes.head, ratio, overlapping=False)]
    size = sizes.integer("index_head_dim")
    keys = _far(Fraction(size + size // 128 * _FLOAT), ratio)
    return [far, _carry(sizes.head, ratio, overlapping=True), keys, _carry(size, ratio, overlapping=True)]


def _far(cell: Fraction, ratio: int) -> Cache:
    return Cache("latent", BLOCK, cell, tokens_per_state=ratio, alignment=_PAGE_ALIGNMENT)


def _carry(size: int, ratio: int, *, overlapping: bool) -> Cache:
    """Describe what a compressor keeps of the tokens that it has not yet compressed."""
    factor = 2 if overlapping else 1
    block = _INDEXED_CARRY_BLOCK if overlapping else _CARRY_BLOCK
    cell = Fraction(2 * factor * size * _FLOAT)
    return Cache("sliding_latent", block, cell, window=factor * ratio, alignment=_PAGE_ALIGNMENT)
