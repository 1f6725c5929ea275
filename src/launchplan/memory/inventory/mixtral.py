"""Mixtral."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import (
    Site,
    Tensors,
    experts,
    final_norm,
    gather,
    grouped_query,
    router,
    vocabulary,
)
from launchplan.memory.inventory.llama import dense_heads

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes


def list_tensors(sizes: Sizes) -> Tensors:
    """List a Mixtral model."""
    hidden = sizes.hidden
    layer = Site("model.layers.{}.", sizes.all_layers)
    moe = layer.at("block_sparse_moe")
    return gather(
        vocabulary("model.", sizes.vocabulary, hidden, tied=sizes.tied),
        grouped_query(layer.at("self_attn"), hidden, dense_heads(sizes)),
        layer.norms(hidden, "input_layernorm", "post_attention_layernorm"),
        router(moe, sizes.experts, hidden),
        experts(moe.at("experts"), sizes.experts, hidden, sizes.expert_width, ("w1", "w3", "w2")),
        final_norm("model.", hidden),
    )
