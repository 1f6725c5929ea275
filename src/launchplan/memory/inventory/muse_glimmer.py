"""Muse Glimmer: a dense model whose attention has an output gate, and norms around each block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import (
    Heads,
    Site,
    Tensors,
    final_norm,
    gather,
    grouped_query,
    mlp,
    vocabulary,
)
from launchplan.memory.inventory.llama import text_prefix

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes


def list_tensors(sizes: Sizes) -> Tensors:
    """List a Muse Glimmer model: vLLM 0.33.0 model_executor/models/muse_glimmer.py."""
    prefix, hidden = text_prefix(sizes), sizes.hidden
    layer = Site(f"{prefix}layers.{{}}.", sizes.all_layers)
    attention = layer.at("self_attn")
    heads = Heads(sizes.queries, sizes.keys, sizes.head, sizes.head)
    return gather(
        vocabulary(prefix, sizes.vocabulary, hidden, tied=sizes.tied),
        grouped_query(attention, hidden, heads),
        attention.matrix("gate_proj", "attention", (sizes.queries * sizes.head, hidden), "rows"),
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
