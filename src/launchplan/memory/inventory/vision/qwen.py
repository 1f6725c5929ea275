"""The tower of Qwen3-VL and Qwen3.5."""

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
    from launchplan.memory.inventory.blocks import Site, Tensors
    from launchplan.memory.inventory.sizes import Sizes

_CONFIG = "vision_config"


def list_tensors(sizes: Sizes) -> Tensors:
    """List the tower with its mergers."""
    hidden, width = sizes.integer(f"{_CONFIG}.hidden_size"), sizes.integer(f"{_CONFIG}.intermediate_size")
    patch = sizes.integer(f"{_CONFIG}.patch_size") ** 2 * sizes.integer(f"{_CONFIG}.temporal_patch_size", 2)
    site = tower("model.visual.")
    layer = encoder(site.at("blocks.{}"), sizes.integer(f"{_CONFIG}.depth"))
    merged = sizes.integer(f"{_CONFIG}.spatial_merge_size", 2) ** 2 * hidden
    positions = sizes.integer(f"{_CONFIG}.num_position_embeddings") * hidden
    deep = len(sizes.model.lists.get(f"{_CONFIG}.deepstack_visual_indexes", ()))
    tensors = linear(site, "patch_embed.proj", (hidden, sizes.integer(f"{_CONFIG}.in_channels", 3) * patch))
    tensors += by_engine((site.vector("pos_embed", "vision", positions),), whole="vllm", split="rows")
    tensors += (layer.vector("norms", "vision", 4 * hidden),)
    tensors += attention(layer.at("attn"), hidden, hidden, bias=True, names=("qkv", "proj"))
    tensors += feed_forward(layer.at("mlp"), hidden, width, bias=True, names=("linear_fc1", "linear_fc2"))
    tensors += _merger(sizes, site.at("merger"), merged, hidden)
    for number in range(deep):
        tensors += _merger(sizes, site.at(f"deepstack_merger_list.{number}"), merged, merged)
    return tensors


def _merger(sizes: Sizes, site: Site, merged: int, normed: int) -> Tensors:
    out = sizes.integer(f"{_CONFIG}.out_hidden_size", sizes.hidden)
    return (
        site.vector("norm", "projector", 2 * normed),
        *linear(site, "linear_fc1", (merged, merged), "rows", kind="projector"),
        *linear(site, "linear_fc2", (out, merged), "columns", kind="projector"),
    )
