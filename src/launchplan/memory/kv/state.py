"""Sizes of the recurrent state of one layer on one rank."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launchplan.architecture import LinearAttention

_CONVOLUTION_BYTES = 2


@dataclass(frozen=True, slots=True)
class StateShape:
    """Elements of the state of one layer on one rank."""

    convolution: int
    """Elements that one step of the short convolution keeps."""
    steps: int
    """Steps that it looks back."""
    recurrent: int

    def bytes(self, recurrent_bytes: int, extra_steps: int = 0) -> int:
        """Give the bytes; speculative decoding keeps some steps more."""
        taps = self.convolution * (self.steps + extra_steps)
        return taps * _CONVOLUTION_BYTES + self.recurrent * recurrent_bytes


def state_shape(linear: LinearAttention, ranks: int) -> StateShape | None:
    """Give the shape of a layer's state when `ranks` split its heads; None when a size is unknown.

    vLLM 0.33.0 model_executor/layers/mamba/mamba_utils.py:186 (Mamba2), :249 (short convolution), :272 (GDN),
    :296 (KDA); SGLang 0.5.23 configs/mamba_utils.py and configs/lfm2.py have the same sizes.
    """
    values, size, kernel = linear.num_value_heads, linear.value_head_dim, linear.conv_kernel
    if linear.kind == "conv":
        return StateShape(values // ranks, kernel - 1, 0) if values and kernel else None
    if not values or not size or not kernel:
        return None
    if linear.kind == "mamba2":
        return _mamba2(linear, ranks)
    keys, key_size = linear.num_key_heads, linear.key_head_dim
    if not keys or not key_size:
        return None
    channels = (2 * keys * key_size + values * size) // ranks
    return StateShape(channels, kernel - 1, values // ranks * size * key_size)


def _mamba2(linear: LinearAttention, ranks: int) -> StateShape | None:
    values, size, kernel = linear.num_value_heads, linear.value_head_dim, linear.conv_kernel
    groups, states = linear.num_groups, linear.state_size
    if not values or not size or not kernel or not groups or not states:
        return None
    # Groups that don't split are copied until each rank has one.
    shared = groups if groups % ranks == 0 else ceil(groups / ranks) * ranks
    channels = (values * size + 2 * shared * states) // ranks
    return StateShape(channels, kernel - 1, values // ranks * size * states)
