"""The tower of Muse Glimmer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import encoder, linear, tower

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

_CONFIG = "vision_config"


def list_tensors(sizes: Sizes) -> Tensors:
    """List the tower, the adapter and the projection: vLLM 0.33.0 model_executor/models/muse_glimmer.py."""
    hidden, width = sizes.integer(f"{_CONFIG}.hidden_size"), sizes.integer(f"{_CONFIG}.intermediate_size")
    patch = 3 * sizes.integer(f"{_CONFIG}.patch_temporal", 2) * sizes.integer(f"{_CONFIG}.patch_size") ** 2
    positions = sizes.integer(f"{_CONFIG}.pos_emb_height") * sizes.integer(f"{_CONFIG}.pos_emb_width")
    middle, merged = sizes.integer("projector_hidden_size"), sizes.integer("out_hidden_size")
    site, outside = tower("model.vision_tower."), tower("model.")
    layer = encoder(site.at("layers.{}"), sizes.integer(f"{_CONFIG}.num_hidden_layers"))
    tensors = linear(site, "patch_embedder.patch_embedding", (hidden, patch), bias=False)
    tensors += (
        site.vector("position_embedding", "vision", positions * hidden),
        site.vector("norms", "vision", 4 * hidden),
        layer.vector("norms", "vision", 4 * hidden),
    )
    for name in ("q_proj", "k_proj", "v_proj"):
        tensors += linear(layer.at("attn"), name, (hidden, hidden), "rows")
    tensors += linear(layer.at("attn"), "proj", (hidden, hidden), "columns")
    # The feed-forward blocks and the adapter are plain layers, whole on every rank.
    tensors += linear(layer.at("mlp"), "fc1", (width, hidden))
    tensors += linear(layer.at("mlp"), "fc2", (hidden, width))
    adapter = outside.at("vision_adapter")
    tensors += linear(adapter, "fc1", (middle, merged), bias=False, kind="projector")
    tensors += linear(adapter, "fc2", (middle, middle), bias=False, kind="projector")
    return tensors + linear(
        outside, "vision_projection", (sizes.hidden, middle), bias=False, kind="projector"
    )
