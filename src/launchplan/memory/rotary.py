"""Tables of rotary positions: an engine keeps one for each kind of rotation, whole on every rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.sizes import Sizes

if TYPE_CHECKING:
    from launchplan.architecture import Architecture

_FULL = "rope_parameters.full_attention."
# Families whose attention has no rotary positions.
_WITHOUT = frozenset({"nemotron_h"})
# The share of a head that rotates where the config leaves it to its class.
_USUAL_SHARES = {"qwen_next": 0.25, "minimax_m2": 0.5, "minimax_m3": 0.5, "glm4_moe": 0.5, "mimo_v2": 0.334}
# Towers of these families keep a table for so many positions of a side of an image.
_VISION_POSITIONS = 8192
_VISION_TABLES = frozenset({"qwen", "qwen_moe", "qwen_next"})


def rotary_table_elements(model: Architecture, layers: frozenset[int]) -> tuple[int, ...]:
    """Give the elements of each table that some layers need; empty where the sizes are unknown."""
    positions = table_positions(model)
    if model.family in _WITHOUT or positions is None or _nope(model):
        return ()
    if model.mla is not None:
        width = model.mla.qk_rope_head_dim
        return (positions * width,) * _latent_tables(model, layers) if width else ()
    if model.head_dim is None:
        return ()
    sizes = Sizes(model)
    if model.family == "gemma4":
        return (positions * sizes.integer("global_head_dim", sizes.head), positions * sizes.head)
    if model.family == "mimo_v2":
        return tuple(
            positions * int(size * _factor(model))
            for size in (sizes.head, sizes.integer("swa_head_dim", sizes.head))
        )
    if model.family == "laguna":
        return (positions * int(sizes.head * _factor(model)), positions * sizes.head)
    tables = 2 if model.family == "gemma3" else 1
    return (positions * sizes.integer("rotary_dim", int(sizes.head * _factor(model))),) * tables


def vision_table_elements(model: Architecture) -> int:
    """Give the elements of the tower's table."""
    vision = model.vision
    if vision is None or model.family not in _VISION_TABLES or not vision.hidden_size or not vision.num_heads:
        return 0
    return _VISION_POSITIONS * (vision.hidden_size // vision.num_heads // 2)


def table_positions(model: Architecture) -> int | None:
    """Give the positions that a table covers: of stretched ones, the original length times the factor."""
    rope = model.rope
    stretched = rope is not None and rope.type in {"yarn", "deepseek_yarn"}
    if stretched and rope is not None and rope.factor and rope.original_max_position_embeddings:
        return int(rope.original_max_position_embeddings * rope.factor)
    return model.max_position_embeddings


def _nope(model: Architecture) -> bool:
    return model.dims.get("mla_use_nope") is True


def _latent_tables(model: Architecture, layers: frozenset[int]) -> int:
    if model.family == "deepseek_v4":
        # Layers that compress rotate with a base of their own.
        ratios = model.lists.get("compress_ratios", ())
        used = (ratio for number, ratio in enumerate(ratios) if number in layers)
        return len({isinstance(ratio, int) and ratio > 1 for ratio in used})
    return 2 if model.sparse_indexer and not Sizes(model).interleaves_indexer else 1


def _factor(model: Architecture) -> float:
    """Read the share of a head that rotates."""
    for key in (
        "rope_parameters.partial_rotary_factor",
        f"{_FULL}partial_rotary_factor",
        "partial_rotary_factor",
    ):
        value = model.dims.get(key)
        if isinstance(value, int | float) and 0 < value <= 1:
            return float(value)
    return _USUAL_SHARES.get(model.family or "", 1.0)
