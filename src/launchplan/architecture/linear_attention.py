"""Layers with a recurrent state: Gated DeltaNet, Kimi Delta Attention, Mamba2, short convolutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.architecture.types import LinearAttention

if TYPE_CHECKING:
    from collections.abc import Callable

    from launchplan.architecture.fields import Fields
    from launchplan.architecture.types import LinearKind


def _gdn(text: Fields) -> LinearAttention:
    return LinearAttention(
        kind="gdn",
        num_key_heads=text.positive("linear_num_key_heads"),
        num_value_heads=text.positive("linear_num_value_heads"),
        key_head_dim=text.positive("linear_key_head_dim"),
        value_head_dim=text.positive("linear_value_head_dim"),
        num_groups=None,
        state_size=None,
        conv_kernel=text.positive("linear_conv_kernel_dim"),
        state_dtype=text.text("mamba_ssm_dtype"),
    )


def _kda(text: Fields) -> LinearAttention:
    """Read Kimi Delta Attention: as many key heads as value heads, of one size."""
    kda = text.child("linear_attn_config")
    heads, size = kda.positive("num_heads"), kda.positive("head_dim")
    return LinearAttention(
        kind="kda",
        num_key_heads=heads,
        num_value_heads=heads,
        key_head_dim=size,
        value_head_dim=size,
        num_groups=None,
        state_size=None,
        conv_kernel=kda.positive("short_conv_kernel_size"),
        state_dtype=None,
    )


def _mamba2(text: Fields) -> LinearAttention:
    return LinearAttention(
        kind="mamba2",
        num_key_heads=None,
        num_value_heads=text.positive("mamba_num_heads", "mamba_n_heads"),
        key_head_dim=None,
        value_head_dim=text.positive("mamba_head_dim", "mamba_d_head"),
        num_groups=text.positive("n_groups", "mamba_n_groups"),
        state_size=text.positive("ssm_state_size", "mamba_d_state"),
        conv_kernel=text.positive("conv_kernel", "mamba_d_conv"),
        state_dtype=text.text("mamba_ssm_cache_dtype", "mamba_ssm_dtype"),
    )


def _conv(text: Fields) -> LinearAttention:
    """Read LFM2's short convolution over the width of the model, which keeps its last inputs alone."""
    return LinearAttention(
        kind="conv",
        num_key_heads=None,
        num_value_heads=text.positive("hidden_size"),
        key_head_dim=None,
        value_head_dim=None,
        num_groups=None,
        state_size=None,
        conv_kernel=text.positive("conv_L_cache"),
        state_dtype=None,
    )


_READERS: dict[LinearKind, Callable[[Fields], LinearAttention]] = {
    "gdn": _gdn,
    "kda": _kda,
    "mamba2": _mamba2,
    "conv": _conv,
}


def read_linear_attention(text: Fields, kind: LinearKind) -> LinearAttention:
    """Read the heads and state of the recurrent layers."""
    return _READERS[kind](text)
