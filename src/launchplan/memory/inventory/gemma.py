"""Gemma 2 and Gemma 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import (
    Site,
    Tensors,
    final_norm,
    gather,
    grouped_query,
    mlp,
    vocabulary,
)
from launchplan.memory.inventory.llama import dense_heads, text_prefix

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes


def list_tensors(sizes: Sizes) -> Tensors:
    """List a Gemma 2 or 3 model."""
    prefix, hidden = text_prefix(sizes), sizes.hidden
    layer = Site(f"{prefix}layers.{{}}.", sizes.all_layers)
    attention = layer.at("self_attn")
    return gather(
        vocabulary(prefix, sizes.vocabulary, hidden, tied=sizes.model.tie_word_embeddings is not False),
        grouped_query(attention, hidden, dense_heads(sizes)),
        attention.norms(sizes.head, "q_norm", "k_norm") if sizes.model.family == "gemma3" else (),
        layer.norms(
            hidden,
            "input_layernorm",
            "post_attention_layernorm",
            "pre_feedforward_layernorm",
            "post_feedforward_layernorm",
        ),
        mlp(layer.at("mlp"), hidden, sizes.dense_width),
        final_norm(prefix, hidden),
    )
