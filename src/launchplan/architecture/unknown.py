"""Name what a config leaves open that a plan needs to know."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from launchplan.architecture.types import Architecture

_ALWAYS = (
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "vocab_size",
    "derived_max_model_len",
    "attention_kind",
)
# A list of this name gives the widths layer by layer, so that no single one is missing.
_BY_LAYER = frozenset({"block_configs.ffn.ffn_mult"})
_MLA = ("kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
_MOE = ("experts_per_token", "intermediate_size")
_VISION = ("hidden_size", "num_layers", "num_heads")
# A model with this key embeds patches without a tower.
_WITHOUT_TOWER = frozenset({"vision_config.mm_embed_dim"})
_LINEAR = {
    "gdn": ("num_key_heads", "num_value_heads", "key_head_dim", "value_head_dim", "conv_kernel"),
    "kda": ("num_value_heads", "value_head_dim", "conv_kernel"),
    "conv": ("num_value_heads", "conv_kernel"),
    "mamba2": ("num_value_heads", "value_head_dim", "num_groups", "state_size", "conv_kernel"),
}


def open_fields(model: Architecture) -> tuple[str, ...]:
    """List the fields of an architecture that are unknown and that a model of its kind has."""
    return tuple(_open(model))


def _open(model: Architecture) -> Iterator[str]:
    if model.family is None:
        yield "family"
    yield from (name for name in _ALWAYS if getattr(model, name) is None)
    if model.head_dim is None and not model.is_mla:
        yield "head_dim"
    if not model.layers:
        yield "layers"
    if model.count_mlp("dense") and model.dense_intermediate_size is None and not _BY_LAYER & {*model.lists}:
        yield "dense_intermediate_size"
    if model.count_attention("sliding") and model.sliding_window is None:
        yield "sliding_window"
    yield from _open_parts(model)
    if not model.quantization.formats:
        yield "quantization.formats"


def _open_parts(model: Architecture) -> Iterator[str]:
    if model.mla is not None and "compress_ratios" not in model.lists:
        yield from (f"mla.{name}" for name in _MLA if getattr(model.mla, name) is None)
    if model.moe is not None:
        yield from (f"moe.{name}" for name in _MOE if getattr(model.moe, name) is None)
    elif model.count_mlp("moe"):
        yield "moe"
    if model.linear_attention is not None:
        names = _LINEAR[model.linear_attention.kind]
        yield from (
            f"linear_attention.{name}" for name in names if getattr(model.linear_attention, name) is None
        )
    if model.is_multimodal and not _WITHOUT_TOWER & {*model.dims}:
        yield from _open_vision(model)


def _open_vision(model: Architecture) -> Iterator[str]:
    if model.vision is None:
        yield "vision"
        return
    yield from (f"vision.{name}" for name in _VISION if getattr(model.vision, name) is None)
