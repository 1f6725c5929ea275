"""The tower of GLM-4.1V, 4.5V and 4.6V."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import attention, encoder, linear, tower

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Site, Tensors
    from launchplan.memory.inventory.sizes import Sizes
    from launchplan.memory.tensors import Kind

_CONFIG = "vision_config"


def list_tensors(sizes: Sizes) -> Tensors:
    """List the tower with its merger: vLLM 0.33.0 model_executor/models/glm4_1v.py."""
    hidden, out = sizes.integer(f"{_CONFIG}.hidden_size"), sizes.integer(f"{_CONFIG}.out_hidden_size")
    patch, side = sizes.integer(f"{_CONFIG}.patch_size"), sizes.integer(f"{_CONFIG}.spatial_merge_size", 2)
    frames, channels = (
        sizes.integer(f"{_CONFIG}.temporal_patch_size", 2),
        sizes.integer(f"{_CONFIG}.in_channels", 3),
    )
    positions = (sizes.integer(f"{_CONFIG}.image_size") // patch) ** 2
    site = tower("model.visual.")
    layer = encoder(site.at("blocks.{}"), sizes.integer(f"{_CONFIG}.depth"))
    return (
        *linear(site, "patch_embed.proj", (hidden, channels * frames * patch**2)),
        site.vector("embeddings.position_embedding", "vision", positions * hidden),
        layer.vector("norms", "vision", 2 * hidden),
        *attention(layer.at("attn"), hidden, hidden, bias=False, names=("qkv", "proj")),
        *_gated(layer.at("mlp"), hidden, out, "vision"),
        site.vector("norms", "vision", 2 * hidden),
        *linear(site, "downsample", (out, side**2 * hidden)),
        *_merger(site.at("merger"), out, sizes.integer(f"{_CONFIG}.intermediate_size")),
    )


def _merger(site: Site, out: int, width: int) -> Tensors:
    return (
        *linear(site, "proj", (out, out), "rows", bias=False, kind="projector"),
        site.vector("post_projection_norm", "projector", 2 * out),
        *_gated(site, out, width, "projector"),
    )


def _gated(site: Site, hidden: int, width: int, kind: Kind) -> Tensors:
    tensors: Tensors = ()
    for name in ("gate_proj", "up_proj"):
        tensors += linear(site, name, (width, hidden), "rows", bias=False, kind=kind)
    return tensors + linear(site, "down_proj", (hidden, width), "columns", bias=False, kind=kind)
