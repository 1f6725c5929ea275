"""gpt-oss: biased attention with sinks, biased experts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import (
    Heads,
    Site,
    Tensors,
    final_norm,
    gather,
    grouped_query,
    vocabulary,
)

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes


def list_tensors(sizes: Sizes) -> Tensors:
    """List a gpt-oss model."""
    hidden = sizes.hidden
    layer = Site("model.layers.{}.", sizes.all_layers)
    attention = layer.at("self_attn")
    heads = Heads(sizes.queries, sizes.keys, sizes.head, sizes.head, bias=True, output_bias=True)
    return gather(
        vocabulary("model.", sizes.vocabulary, hidden, tied=sizes.tied),
        grouped_query(attention, hidden, heads),
        (attention.vector("sinks", "attention", sizes.queries, "rows"),),
        layer.norms(hidden, "input_layernorm", "post_attention_layernorm"),
        layer.at("mlp").matrix("router", "router", (sizes.experts, hidden), quantizable=False, bias=True),
        _experts(sizes, layer.at("mlp").at("experts")),
        final_norm("model.", hidden),
    )


def _experts(sizes: Sizes, site: Site) -> Tensors:
    """List the experts: gate and up are one tensor in the checkpoint, and shared out as two."""
    hidden, width = sizes.hidden, sizes.expert_width
    inner = site.matrix("gate_up_proj", "experts", (width, hidden), "rows", bias=True)
    outer = site.matrix("down_proj", "experts", (hidden, width), "columns", bias=True)
    return tuple(replace(tensor, copies=sizes.experts) for tensor in (*inner, *inner, *outer))
