"""The CLIP tower of MiniMax-M3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import encoder, feed_forward, linear, tower

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

_CONFIG = "vision_config"
_COMPRESSION = f"{_CONFIG}.img_token_compression_config"


def list_tensors(sizes: Sizes) -> Tensors:
    """List the tower, the projector and the MLP that merges patches."""
    hidden, width = sizes.integer(f"{_CONFIG}.hidden_size"), sizes.integer(f"{_CONFIG}.intermediate_size")
    frames = sizes.integer(f"{_COMPRESSION}.temporal_patch_size", 2)
    merge = sizes.integer(f"{_COMPRESSION}.spatial_merge_size", 2) ** 2
    site = tower("vision_tower.vision_model.")
    layer = encoder(site.at("encoder").at("layers.{}"), sizes.integer(f"{_CONFIG}.num_hidden_layers"))
    patch = 3 * frames * sizes.integer(f"{_CONFIG}.patch_size") ** 2
    tensors = linear(site, "embeddings.patch_embedding", (hidden, patch), bias=False)
    tensors += (
        site.vector("pre_layrnorm", "vision", 2 * hidden),
        layer.vector("norms", "vision", 4 * hidden),
    )
    for name in ("q_proj", "k_proj", "v_proj"):
        tensors += linear(layer.at("self_attn"), name, (hidden, hidden), "rows")
    tensors += linear(layer.at("self_attn"), "out_proj", (hidden, hidden), "columns")
    tensors += feed_forward(layer.at("mlp"), hidden, width, bias=True, names=("fc1", "fc2"))
    middle, outside = sizes.integer(f"{_CONFIG}.projection_dim"), tower("")
    for name, size in (("multi_modal_projector", hidden), ("patch_merge_mlp", sizes.hidden * merge)):
        block = outside.at(name)
        tensors += linear(block, "linear_1", (middle, size), "rows", kind="projector")
        tensors += linear(block, "linear_2", (sizes.hidden, middle), "columns", kind="projector")
    return tensors
