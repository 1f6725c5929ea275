"""The towers of MiMo-V2.5: images and video as in Qwen2.5-VL with grouped heads, and sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import encoder, linear, tower

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

_CONFIG = "vision_config"
_SOUND = "audio_config"
# The head size of the tower, which no key gives: vLLM 0.33.0 model_executor/models/mimo_v2_omni.py.
_HEAD = 64
# Entries of a codebook and times that the projection is wider than what it joins; also without a key.
_CODES = 1280
_WIDER = 4


def list_tensors(sizes: Sizes) -> Tensors:
    """List both towers, as the checkpoint has them."""
    return _images(sizes) + (_sounds(sizes) if sizes.has(f"{_SOUND}.input_local_layers") else ())


def _images(sizes: Sizes) -> Tensors:
    hidden, width = sizes.integer(f"{_CONFIG}.hidden_size"), sizes.integer(f"{_CONFIG}.intermediate_size")
    queries = sizes.integer(f"{_CONFIG}.num_heads") * _HEAD
    keys = sizes.integer(f"{_CONFIG}.num_key_value_heads") * _HEAD
    patch = sizes.integer(f"{_CONFIG}.patch_size") ** 2 * sizes.integer(f"{_CONFIG}.temporal_patch_size", 2)
    merged = sizes.integer(f"{_CONFIG}.spatial_merge_size", 2) ** 2 * hidden
    site = tower("visual.")
    layer = encoder(site.at("blocks.{}"), sizes.integer(f"{_CONFIG}.depth"))
    tensors = linear(site, "patch_embed.proj", (hidden, 3 * patch), bias=False)
    tensors += (layer.vector("norms", "vision", 2 * hidden),)
    tensors += linear(layer.at("attn"), "qkv", (queries + 2 * keys, hidden), "rows")
    tensors += linear(layer.at("attn"), "proj", (hidden, queries), "columns")
    for name in ("gate_proj", "up_proj"):
        tensors += linear(layer.at("mlp"), name, (width, hidden), "rows")
    tensors += linear(layer.at("mlp"), "down_proj", (hidden, width), "columns")
    return (
        *tensors,
        site.vector("merger.ln_q", "projector", hidden),
        *linear(site, "merger.mlp.0", (merged, merged), "rows", bias=False, kind="projector"),
        *linear(site, "merger.mlp.2", (sizes.hidden, merged), "columns", bias=False, kind="projector"),
    )


def _sounds(sizes: Sizes) -> Tensors:
    hidden = sizes.integer(f"{_SOUND}.input_local_dim")
    width = sizes.integer(f"{_SOUND}.input_local_intermediate_size")
    joined = sizes.integer(f"{_SOUND}.group_size") * hidden
    site = tower("audio_encoder.")
    layer = encoder(
        site.at("input_local_transformer").at("layers.{}"), sizes.integer(f"{_SOUND}.input_local_layers")
    )
    tensors: Tensors = (
        tower("").vector(
            "speech_embeddings", "vision", sizes.integer(f"{_SOUND}.audio_channels") * _CODES * hidden
        ),
    )
    for name in ("q_proj", "k_proj", "v_proj"):
        tensors += linear(layer.at("self_attn"), name, (hidden, hidden))
    tensors += linear(layer.at("self_attn"), "o_proj", (hidden, hidden), bias=False)
    for name in ("gate_proj", "up_proj"):
        tensors += linear(layer.at("mlp"), name, (width, hidden), bias=False)
    tensors += linear(layer.at("mlp"), "down_proj", (hidden, width), bias=False)
    tensors += (layer.vector("norms", "vision", 2 * hidden), site.vector("norm", "vision", hidden))
    projection = site.at("projection.mlp")
    return (
        *tensors,
        *linear(projection, "0", (_WIDER * joined, joined), bias=False, kind="projector"),
        *linear(projection, "2", (sizes.hidden, _WIDER * joined), bias=False, kind="projector"),
    )
