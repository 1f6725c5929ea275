"""Hy3: grouped-query attention, experts with one shared, MTP."""

from __future__ import annotations

from dataclasses import replace
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
    vocabulary,
)

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes


def list_tensors(sizes: Sizes) -> Tensors:
    """List a Hy3 model: vLLM 0.33.0 model_executor/models/{hy_v3,hy_v3_mtp}.py."""
    hidden, layers = sizes.hidden, "model.layers.{}."
    return gather(
        vocabulary("model.", sizes.vocabulary, hidden, tied=sizes.tied),
        _attention(sizes, Site(layers, sizes.all_layers)),
        mlp(Site(f"{layers}mlp.", sizes.dense_layers), hidden, sizes.dense_width)
        if sizes.dense_layers
        else (),
        _experts(sizes, Site(f"{layers}mlp.", sizes.moe_layers)) if sizes.moe_layers else (),
        final_norm("model.", hidden),
        *(_mtp(sizes, number) for number in range(sizes.model.mtp_layers or 0)),
    )


def _attention(sizes: Sizes, site: Site) -> Tensors:
    attention = site.at("self_attn")
    heads = Heads(sizes.queries, sizes.keys, sizes.head, sizes.head)
    tensors = grouped_query(attention, sizes.hidden, heads)
    if sizes.flag("qk_norm", default=True):
        tensors += attention.norms(sizes.head, "q_norm", "k_norm")
    return tensors + site.norms(sizes.hidden, "input_layernorm", "post_attention_layernorm")


def _experts(sizes: Sizes, site: Site) -> Tensors:
    # Both engines keep the router in 32 bits.
    tensors = tuple(
        replace(gate, loaded_width=4) for gate in router(site, sizes.experts, sizes.hidden, "router.gate")
    )
    tensors += (site.vector("expert_bias", "router", sizes.experts, width=4),)
    tensors += experts(site.at("experts"), sizes.experts, sizes.hidden, sizes.expert_width)
    if sizes.shared_width:
        tensors += mlp(site.at("shared_mlp"), sizes.hidden, sizes.shared_width, kind="shared_experts")
    return tensors


def _mtp(sizes: Sizes, number: int) -> Tensors:
    site = Site(f"model.layers.{sizes.layer_count + number}.", part="mtp", place="last")
    hidden = sizes.hidden
    return (
        *site.norms(hidden, "enorm", "hnorm", "final_layernorm"),
        *site.matrix("eh_proj", "attention", (hidden, 2 * hidden), quantizable=False),
        *_attention(sizes, site),
        *_experts(sizes, site.at("mlp")),
    )
