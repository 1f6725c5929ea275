"""InternViT, the tower of InternVL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import attention, encoder, feed_forward, linear, tower

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

_CONFIG = "vision_config"
# Four patches are shuffled into one.
_SHUFFLED = 4


def list_tensors(sizes: Sizes) -> Tensors:
    """List the tower and the projector: vLLM 0.33.0 model_executor/models/{intern_vit,internvl}.py."""
    hidden, width = sizes.integer(f"{_CONFIG}.hidden_size"), sizes.integer(f"{_CONFIG}.intermediate_size")
    patch = sizes.integer(f"{_CONFIG}.patch_size")
    positions = (sizes.integer(f"{_CONFIG}.image_size") // patch) ** 2 + 1
    norm = hidden if sizes.model.dims.get(f"{_CONFIG}.norm_type") == "rms_norm" else 2 * hidden
    site, outside, merged = tower("vision_model."), tower("mlp1."), _SHUFFLED * hidden
    layer = encoder(site.at("encoder").at("layers.{}"), sizes.integer(f"{_CONFIG}.num_hidden_layers"))
    projections = attention(
        layer.at("attn"),
        hidden,
        hidden,
        bias=sizes.flag(f"{_CONFIG}.qkv_bias", default=True),
        names=("qkv", "proj"),
    )
    if sizes.flag(f"{_CONFIG}.qk_normalization"):
        projections += (layer.vector("attn.norms", "vision", 2 * hidden),)
    return (
        *linear(site, "embeddings.patch_embedding", (hidden, 3 * patch**2)),
        site.vector("embeddings.class_embedding", "vision", hidden),
        site.vector("embeddings.position_embedding", "vision", positions * hidden),
        *projections,
        *feed_forward(layer.at("mlp"), hidden, width, bias=True, names=("fc1", "fc2")),
        layer.vector("norms", "vision", 2 * norm),
        layer.vector("scales", "vision", 2 * hidden),
        outside.vector("0", "projector", 2 * merged),
        *linear(outside, "1", (sizes.hidden, merged), kind="projector"),
        *linear(outside, "3", (sizes.hidden, sizes.hidden), kind="projector"),
    )
