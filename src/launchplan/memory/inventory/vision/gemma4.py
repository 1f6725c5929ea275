"""The towers of Gemma 4: images, and sound in the small models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import encoder, linear, tower

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

_CONFIG = "vision_config"
_SOUND = "audio_config"
# Channels of the two convolutions before the sound tower, where the config leaves them to its class.
_CHANNELS = (128, 32)


def list_tensors(sizes: Sizes) -> Tensors:
    """List the towers and the projections into the text model."""
    return _images(sizes) + (_sounds(sizes) if sizes.has(f"{_SOUND}.hidden_size") else ())


def _images(sizes: Sizes) -> Tensors:
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


def _sounds(sizes: Sizes) -> Tensors:
    """List the conformer: transformers 5.19.0 models/gemma4 (Gemma4AudioModel), which vLLM 0.33.0 builds."""
    hidden, out = sizes.integer(f"{_SOUND}.hidden_size"), sizes.integer(f"{_SOUND}.output_proj_dims", 1536)
    first, second = sizes.integers(f"{_SOUND}.subsampling_conv_channels") or _CHANNELS
    kernel = sizes.integer(f"{_SOUND}.conv_kernel_size", 5)
    head = hidden // sizes.integer(f"{_SOUND}.num_attention_heads")
    site = tower("model.audio_tower.")
    layer = encoder(site.at("layers.{}"), sizes.integer(f"{_SOUND}.num_hidden_layers"))
    tensors = linear(site, "subsample.input_proj_linear", (hidden, first // 4 * second), bias=False)
    tensors += (site.vector("subsample.convolutions", "vision", 9 * first * (1 + second) + first + second),)
    for block in ("feed_forward1", "feed_forward2"):
        tensors += linear(layer.at(block), "ffw_layer_1", (4 * hidden, hidden), bias=False)
        tensors += linear(layer.at(block), "ffw_layer_2", (hidden, 4 * hidden), bias=False)
    for name in ("q_proj", "k_proj", "v_proj", "relative_k_proj", "post"):
        tensors += linear(layer.at("self_attn"), name, (hidden, hidden), bias=False)
    tensors += linear(layer.at("lconv1d"), "linear_start", (2 * hidden, hidden), bias=False)
    tensors += linear(layer.at("lconv1d"), "linear_end", (hidden, hidden), bias=False)
    tensors += (layer.vector("lconv1d.depthwise_conv1d", "vision", kernel * hidden),)
    tensors += (layer.vector("norms", "vision", 9 * hidden + head),)
    return (
        *tensors,
        *linear(site, "output_proj", (out, hidden), kind="projector"),
        *linear(
            tower("model.embed_audio."),
            "embedding_projection",
            (sizes.hidden, out),
            bias=False,
            kind="projector",
        ),
    )
