"""MoonViT, the tower of Kimi K2.5 and K3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import (
    attention,
    by_engine,
    encoder,
    feed_forward,
    linear,
    tower,
)

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

_CONFIG = "vision_config"


def list_tensors(sizes: Sizes) -> Tensors:
    """List the tower and the projector."""
    hidden = sizes.integer(f"{_CONFIG}.vt_hidden_size")
    inner = sizes.integer(f"{_CONFIG}.qkv_hidden_size", hidden)
    bias = sizes.flag(f"{_CONFIG}.linear_bias", default=True)
    attention_bias = sizes.flag(f"{_CONFIG}.attn_bias", default=True)
    norm = hidden if sizes.model.dims.get(f"{_CONFIG}.norm_type") == "rmsnorm" else 2 * hidden
    positions = sizes.integer(f"{_CONFIG}.init_pos_emb_height") * sizes.integer(
        f"{_CONFIG}.init_pos_emb_width"
    )
    patch_bias = sizes.flag(f"{_CONFIG}.patch_embed_proj_bias", default=True)
    site = tower("vision_tower.")
    layer = encoder(site.at("encoder").at("blocks.{}"), sizes.integer(f"{_CONFIG}.vt_num_hidden_layers"))
    patch = (hidden, 3 * sizes.integer(f"{_CONFIG}.patch_size") ** 2)
    width = sizes.integer(f"{_CONFIG}.vt_intermediate_size")
    return (
        *linear(site, "patch_embed.proj", patch, bias=patch_bias),
        site.vector("patch_embed.pos_emb", "vision", positions * hidden),
        layer.vector("norms", "vision", 2 * norm),
        *_attention(sizes, attention(layer, hidden, inner, bias=attention_bias, names=("wqkv", "wo"))),
        *by_engine(feed_forward(layer.at("mlp"), hidden, width, bias=bias, names=("fc0", "fc1"))),
        site.vector("encoder.final_layernorm", "vision", norm),
        *_projector(sizes, hidden),
    )


def _attention(sizes: Sizes, tensors: Tensors) -> Tensors:
    """Keep the heads of Kimi-K3's tower together in SGLang, as models/kimi_k3.py does."""
    return by_engine(tensors) if sizes.model.family == "kimi_linear" else tensors


def _projector(sizes: Sizes, hidden: int) -> Tensors:
    merged = sizes.integer(f"{_CONFIG}.mm_hidden_size", hidden)
    for side in sizes.integers(f"{_CONFIG}.merge_kernel_size"):
        merged *= side
    text = sizes.integer(f"{_CONFIG}.text_hidden_size", sizes.hidden)
    # The second version has no biases, and normalises its output.
    second = sizes.model.dims.get(f"{_CONFIG}.mm_projector_type") == "patchmergerv2"
    site = tower("mm_projector.")
    return (
        site.vector("norm", "projector", text if second else 2 * hidden),
        *linear(site, "linear_1", (merged, merged), bias=not second, kind="projector"),
        *linear(site, "linear_2", (text, merged), bias=not second, kind="projector"),
    )
