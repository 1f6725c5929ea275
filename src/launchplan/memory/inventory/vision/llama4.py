"""The tower of Llama 4, whose configs may leave all of it to the class's defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import encoder, feed_forward, linear, tower

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

_CONFIG = "vision_config"


def list_tensors(sizes: Sizes) -> Tensors:
    """List the tower, the adapter and the projector; defaults are transformers' Llama4VisionConfig."""
    hidden = sizes.integer(f"{_CONFIG}.hidden_size", 1408)
    width = sizes.integer(f"{_CONFIG}.intermediate_size", 5632)
    out = sizes.integer(f"{_CONFIG}.projector_output_dim", 4096)
    patch = sizes.integer(f"{_CONFIG}.patch_size", 14)
    patches = (sizes.integer(f"{_CONFIG}.image_size", 336) // patch) ** 2 + 1
    site = tower("vision_model.")
    layer = encoder(site.at("model").at("layers.{}"), sizes.integer(f"{_CONFIG}.num_hidden_layers", 34))
    tensors = linear(site, "patch_embedding", (hidden, 3 * patch**2), bias=False)
    tensors += (
        site.vector("positional_embedding_vlm", "vision", patches * hidden),
        site.vector("class_embedding", "vision", hidden),
        layer.vector("norms", "vision", 4 * hidden),
        site.vector("ln", "vision", 4 * hidden),
    )
    for name in ("q_proj", "k_proj", "v_proj"):
        tensors += linear(layer.at("self_attn"), name, (hidden, hidden), "rows")
    tensors += linear(layer.at("self_attn"), "o_proj", (hidden, hidden), "columns")
    tensors += feed_forward(layer.at("mlp"), hidden, width, bias=True, names=("fc1", "fc2"))
    adapter = site.at("vision_adapter").at("mlp")
    tensors += linear(adapter, "fc1", (out, width), "rows", bias=False, kind="projector")
    tensors += linear(adapter, "fc2", (out, out), "columns", bias=False, kind="projector")
    outside = tower("multi_modal_projector.")
    return tensors + linear(outside, "linear_1", (sizes.hidden, out), bias=False, kind="projector")
