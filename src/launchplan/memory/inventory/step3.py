"""Step-3.5 and 3.7: gated attention heads, experts with one shared, prediction layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import (
    Heads,
    Site,
    Tensors,
    experts,
    final_norm,
    gather,
    grouped_query,
    mlp,
    router,
    stored_again,
    vocabulary,
)

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes


def list_tensors(sizes: Sizes) -> Tensors:
    """List a Step-3 model."""
    hidden, layers = sizes.hidden, "model.layers.{}."
    moe = Site(layers, sizes.moe_layers)
    return gather(
        vocabulary("model.", sizes.vocabulary, hidden, tied=sizes.tied),
        _attention(sizes, Site(layers, sizes.all_layers)),
        mlp(Site(f"{layers}mlp.", sizes.dense_layers), hidden, sizes.dense_width)
        if sizes.dense_layers
        else (),
        router(moe.at("moe"), sizes.experts, hidden),
        (moe.vector("moe.router_bias", "router", sizes.experts, width=4),),
        experts(moe.at("moe").at("experts"), sizes.experts, hidden, sizes.expert_width),
        mlp(moe.at("share_expert"), hidden, sizes.shared_width, kind="shared_experts")
        if sizes.shared_width
        else (),
        final_norm("model.", hidden),
        *(_mtp(sizes, number) for number in range(sizes.model.mtp_layers or 0)),
    )


def _attention(sizes: Sizes, site: Site) -> Tensors:
    attention = site.at("self_attn")
    heads = Heads(sizes.queries, sizes.keys, sizes.head, sizes.head)
    return (
        *grouped_query(attention, sizes.hidden, heads),
        *attention.norms(sizes.head, "q_norm", "k_norm"),
        *attention.matrix("g_proj", "attention", (sizes.queries, sizes.hidden), "rows"),
        *site.norms(sizes.hidden, "input_layernorm", "post_attention_layernorm"),
    )


def _mtp(sizes: Sizes, number: int) -> Tensors:
    site = Site(f"model.layers.{sizes.layer_count + number}.", part="mtp", place="last")
    hidden = sizes.hidden
    return (
        *site.norms(hidden, "enorm", "hnorm", "shared_head.norm"),
        *site.matrix("eh_proj", "attention", (hidden, 2 * hidden), quantizable=False),
        *stored_again(site, sizes.vocabulary, hidden, None, "shared_head.output"),
        *_attention(sizes, site),
        *mlp(site.at("mlp"), hidden, sizes.integer("intermediate_size")),
    )
