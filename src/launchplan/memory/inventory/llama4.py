"""Llama 4 Scout and Maverick."""

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
    mlp,
    router,
    vocabulary,
)

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes

_PREFIX = "language_model.model."


def list_tensors(sizes: Sizes) -> Tensors:
    """List a Llama 4 model."""
    hidden, layers = sizes.hidden, f"{_PREFIX}layers.{{}}."
    every, moe = Site(layers, sizes.all_layers), Site(f"{layers}feed_forward.", sizes.moe_layers)
    heads = Heads(sizes.queries, sizes.keys, sizes.head, sizes.head)
    return gather(
        vocabulary(_PREFIX, sizes.vocabulary, hidden, tied=False, head="language_model.lm_head"),
        grouped_query(every.at("self_attn"), hidden, heads),
        every.norms(hidden, "input_layernorm", "post_attention_layernorm"),
        mlp(Site(f"{layers}feed_forward.", sizes.dense_layers), hidden, sizes.dense_width)
        if sizes.dense_layers
        else (),
        router(moe, sizes.experts, hidden, "router"),
        _experts(sizes, moe.at("experts")),
        mlp(moe.at("shared_expert"), hidden, sizes.expert_width, kind="shared_experts"),
        final_norm(_PREFIX, hidden),
    )


def _experts(sizes: Sizes, site: Site) -> Tensors:
    """List the experts: gate and up are one tensor in the checkpoint, and shared out as two."""
    hidden, width = sizes.hidden, sizes.expert_width
    inner = site.matrix("gate_up_proj", "experts", (width, hidden), "rows")
    outer = site.matrix("down_proj", "experts", (hidden, width), "columns")
    return tuple(replace(tensor, copies=sizes.experts) for tensor in (*inner, *inner, *outer))
