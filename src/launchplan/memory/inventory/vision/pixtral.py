"""Pixtral, the tower of Mistral's models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import encoder, linear, tower

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

_CONFIG = "vision_config"


def list_tensors(sizes: Sizes) -> Tensors:
    """List the tower, the merger and the projector: vLLM 0.33.0 model_executor/models/pixtral.py."""
    hidden, width = sizes.integer(f"{_CONFIG}.hidden_size"), sizes.integer(f"{_CONFIG}.intermediate_size")
    patch, merge = sizes.integer(f"{_CONFIG}.patch_size"), sizes.integer("spatial_merge_size", 2) ** 2
    site, outside = tower("vision_tower."), tower("multi_modal_projector.")
    layer = encoder(site.at("transformer").at("layers.{}"), sizes.integer(f"{_CONFIG}.num_hidden_layers"))
    bias = sizes.flag("multimodal_projector_bias")
    tensors = linear(site, "patch_conv", (hidden, 3 * patch**2), bias=False)
    tensors += (site.vector("ln_pre", "vision", hidden), layer.vector("norms", "vision", 2 * hidden))
    for name in ("q_proj", "k_proj", "v_proj"):
        tensors += linear(layer.at("attention"), name, (hidden, hidden), "rows", bias=False)
    tensors += linear(layer.at("attention"), "o_proj", (hidden, hidden), "columns", bias=False)
    for name in ("gate_proj", "up_proj"):
        tensors += linear(layer.at("feed_forward"), name, (width, hidden), "rows", bias=False)
    tensors += linear(layer.at("feed_forward"), "down_proj", (hidden, width), "columns", bias=False)
    return (
        *tensors,
        outside.vector("norm", "projector", hidden),
        *linear(
            outside, "patch_merger.merging_layer", (hidden, merge * hidden), bias=False, kind="projector"
        ),
        *linear(outside, "linear_1", (sizes.hidden, hidden), bias=bias, kind="projector"),
        *linear(outside, "linear_2", (sizes.hidden, sizes.hidden), bias=bias, kind="projector"),
    )
