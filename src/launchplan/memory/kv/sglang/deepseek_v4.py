"""DeepSeek V4's pools in SGLang: pool_configurator.py:1067 (DSV4PoolConfigurator)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from launchplan.memory.inventory.sizes import Sizes
from launchplan.memory.kv.sglang.types import Cell

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.memory.kv.sglang.types import SglangPoolSettings

PAGE = 256
# A latent: 448 elements in 8 bits, 64 rotated ones in 16, eight bytes of scales; pages are padded.
_LATENT_BYTES, _PAGE_STEP = 584, 576
# Rows of the ring of states that a compressor has not yet used up, by its ratio.
_NEAR_RATIO, _FAR_RATIO = 4, 128
_NEAR_RING, _FAR_RING = 8, 128
_FLOAT = 4
# V4 sizes its window for one token in ten unless told otherwise.
_WINDOW_RATIO = Fraction(1, 10)
# Requests a rank is taken to run when nothing is said.
_USUAL_REQUESTS = 256


def token_cell(model: Architecture, settings: SglangPoolSettings, layers: tuple[int, ...]) -> Cell:
    """Give what a token takes: compressed states for each, a window for one in ten."""
    sizes = Sizes(model)
    ratios = sizes.integers("compress_ratios")
    near = sum(ratios[number] == _NEAR_RATIO for number in layers)
    far = sum(ratios[number] == _FAR_RATIO for number in layers)
    size, index = sizes.head, sizes.integer("index_head_dim")
    carried = Fraction(_NEAR_RING, PAGE) * 2 * 2 * (size + index) * _FLOAT
    window = _paged(PAGE) * len(layers) + carried * near
    keys = index + index // 128 * _FLOAT
    full = near * (_paged(PAGE // _NEAR_RATIO) + keys) / _NEAR_RATIO
    full += far * _paged(PAGE // _FAR_RATIO) / _FAR_RATIO
    return Cell(full, window, _WINDOW_RATIO, far * _far_state_bytes(size, settings))


def _paged(tokens: int) -> Fraction:
    """Give the bytes of a latent in pages of so many."""
    return Fraction(ceil(_LATENT_BYTES * tokens / _PAGE_STEP) * _PAGE_STEP, tokens)


def _far_state_bytes(size: int, settings: SglangPoolSettings) -> int:
    """Give the bytes of one layer's ring for all requests."""
    requests = (
        settings.max_running_requests or _USUAL_REQUESTS * settings.attention_dp
    ) // settings.attention_dp
    rows = (max(1, requests) + 1) * _FAR_RING + _FAR_RING + 1
    return ceil(rows / _FAR_RATIO) * _FAR_RATIO * 2 * size * _FLOAT
