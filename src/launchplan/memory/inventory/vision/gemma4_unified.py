"""What stands in place of a tower in Gemma 4 12B: patches and sound go straight into the text model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import linear, tower

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

_CONFIG = "vision_config"


def list_tensors(sizes: Sizes) -> Tensors:
    """List the embedders: transformers 5.19.0 models/gemma4_unified, vLLM 0.33.0 models/gemma4_unified.py."""
    width, positions = sizes.integer(f"{_CONFIG}.mm_embed_dim"), sizes.integer(f"{_CONFIG}.mm_posemb_size")
    side = sizes.integer(f"{_CONFIG}.patch_size") * sizes.integer(f"{_CONFIG}.pooling_kernel_size")
    patch, site = 3 * side**2, tower("model.vision_embedder.")
    tensors = linear(site, "patch_dense", (width, patch))
    tensors += (
        site.vector("pos_embedding", "vision", 2 * positions * width),
        site.vector("norms", "vision", 2 * patch + 4 * width),
    )
    joined = (("embed_vision", width), ("embed_audio", sizes.integer("audio_config.audio_embed_dim", 0)))
    for name, size in joined:
        if size:
            outside = tower(f"model.{name}.")
            tensors += linear(
                outside, "embedding_projection", (sizes.hidden, size), bias=False, kind="projector"
            )
    return tensors
