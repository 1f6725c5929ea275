"""The tower of Gemma 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import encoder, linear, tower

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

_CONFIG = "vision_config"


def list_tensors(sizes: Sizes) -> Tensors:
    """List the tower and the projection into the text model."""
    hidden, width = sizes.integer(f"{_CONFIG}.hidden_size"), sizes.integer(f"{_CONFIG}.intermediate_size")
    heads, size = sizes.integer(f"{_CONFIG}.num_attention_heads"), sizes.integer(f"{_CONFIG}.head_dim")
    inner, site = heads * size, tower("model.vision_tower.")
    layer = encoder(site.at("encoder").at("layers.{}"), sizes.integer(f"{_CONFIG}.num_hidden_layers"))
    patch = 3 * sizes.integer(f"{_CONFIG}.patch_size") ** 2
    positions = 2 * sizes.integer(f"{_CONFIG}.position_embedding_size") * hidden
    tensors = linear(site, "patch_embedder.input_proj", (hidden, patch), bias=False)
    tensors += (site.vector("patch_embedder.position_embedding_table", "vision", positions),)
    tensors += (layer.vector("norms", "vision", 4 * hidden + 2 * size),)
    for name in ("q_proj", "k_proj", "v_proj"):
        tensors += linear(layer.at("self_attn"), name, (inner, hidden), "rows", bias=False)
    tensors += linear(layer.at("self_attn"), "o_proj", (hidden, inner), "columns", bias=False)
    for name in ("gate_proj", "up_proj"):
        tensors += linear(layer.at("mlp"), name, (width, hidden), "rows", bias=False)
    tensors += linear(layer.at("mlp"), "down_proj", (hidden, width), "columns", bias=False)
    if sizes.flag(f"{_CONFIG}.standardize"):
        tensors += (site.vector("std", "vision", 2 * hidden),)
    outside = tower("model.embed_vision.")
    return tensors + linear(
        outside, "embedding_projection", (sizes.hidden, hidden), bias=False, kind="projector"
    )
