"""The tower of Qwen2.5-VL: gated MLPs, no table of positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import attention, encoder, linear, tower

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

_CONFIG = "vision_config"


def list_tensors(sizes: Sizes) -> Tensors:
    """List the tower with its merger: vLLM 0.33.0 model_executor/models/qwen2_5_vl.py."""
    hidden, width = sizes.integer(f"{_CONFIG}.hidden_size"), sizes.integer(f"{_CONFIG}.intermediate_size")
    patch = sizes.integer(f"{_CONFIG}.patch_size") ** 2 * sizes.integer(f"{_CONFIG}.temporal_patch_size", 2)
    site = tower("visual.")
    layer = encoder(site.at("blocks.{}"), sizes.integer(f"{_CONFIG}.depth"))
    merged = sizes.integer(f"{_CONFIG}.spatial_merge_size", 2) ** 2 * hidden
    out = sizes.integer(f"{_CONFIG}.out_hidden_size", sizes.hidden)
    channels = sizes.integer(f"{_CONFIG}.in_channels", 3)
    tensors = linear(site, "patch_embed.proj", (hidden, channels * patch), bias=False)
    tensors += (layer.vector("norms", "vision", 2 * hidden),)
    tensors += attention(layer.at("attn"), hidden, hidden, bias=True, names=("qkv", "proj"))
    for name in ("gate_proj", "up_proj"):
        tensors += linear(layer.at("mlp"), name, (width, hidden), "rows")
    tensors += linear(layer.at("mlp"), "down_proj", (hidden, width), "columns")
    return (
        *tensors,
        site.vector("merger.ln_q", "projector", hidden),
        *linear(site, "merger.mlp.0", (merged, merged), "rows", kind="projector"),
        *linear(site, "merger.mlp.2", (out, merged), "columns", kind="projector"),
    )
