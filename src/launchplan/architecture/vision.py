"""The vision tower, whose heads tensor parallelism splits too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.architecture.types import Vision

if TYPE_CHECKING:
    from launchplan.architecture.fields import Fields


def read_vision(levels: tuple[Fields, ...]) -> Vision | None:
    """Read the vision tower from the outermost level that has one; None when the config has none."""
    tower = next((level.child("vision_config") for level in levels if level.child("vision_config").raw), None)
    if tower is None:
        return None
    return Vision(
        # Qwen2-VL calls the language model's width hidden_size, and the tower's embed_dim.
        hidden_size=tower.positive("embed_dim", "vt_hidden_size", "hidden_size", "width"),
        num_layers=tower.positive("depth", "vt_num_hidden_layers", "num_hidden_layers", "layers"),
        num_heads=tower.positive(
            "num_heads", "vt_num_attention_heads", "num_attention_heads", "attention_heads", "heads"
        ),
    )
