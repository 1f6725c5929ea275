"""GLM-4.5, 4.6 and 4.7: grouped-query attention, fine-grained experts, MTP."""

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
    stored_again,
    vocabulary,
)
from launchplan.memory.inventory.llama import text_prefix

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes


def list_tensors(sizes: Sizes) -> Tensors:
    """List a GLM-4.5 model."""
    prefix, hidden = text_prefix(sizes), sizes.hidden
    layers = f"{prefix}layers.{{}}."
    return gather(
        vocabulary(prefix, sizes.vocabulary, hidden, tied=sizes.tied),
        _attention(sizes, Site(layers, sizes.all_layers)),
        mlp(Site(f"{layers}mlp.", sizes.dense_layers), hidden, sizes.dense_width)
        if sizes.dense_layers
        else (),
        _experts(sizes, Site(f"{layers}mlp.", sizes.moe_layers)) if sizes.moe_layers else (),
        final_norm(prefix, hidden),
        *(_mtp(sizes, prefix, number) for number in range(sizes.model.mtp_layers or 0)),
    )


def _attention(sizes: Sizes, site: Site) -> Tensors:
    attention = site.at("self_attn")
    heads = Heads(sizes.queries, sizes.keys, sizes.head, sizes.head, bias=sizes.flag("attention_bias"))
    tensors = grouped_query(attention, sizes.hidden, heads)
    if sizes.flag("use_qk_norm"):
        tensors += attention.norms(sizes.head, "q_norm", "k_norm")
    return tensors + site.norms(sizes.hidden, "input_layernorm", "post_attention_layernorm")


def _experts(sizes: Sizes, site: Site) -> Tensors:
    gates = router(site, sizes.experts, sizes.hidden)
    # Both engines keep the router in 32 bits.
    tensors = tuple(replace(gate, loaded_width=4) for gate in gates)
    tensors += (site.vector("gate.e_score_correction_bias", "router", sizes.experts, width=4),)
    tensors += experts(site.at("experts"), sizes.experts, sizes.hidden, sizes.expert_width)
    if sizes.shared_width:
        tensors += mlp(site.at("shared_experts"), sizes.hidden, sizes.shared_width, kind="shared_experts")
    return tensors


def _mtp(sizes: Sizes, prefix: str, number: int) -> Tensors:
    site = Site(f"{prefix}layers.{sizes.layer_count + number}.", part="mtp", place="last")
    hidden, rows = sizes.hidden, sizes.vocabulary
    return (
        *site.norms(hidden, "enorm", "hnorm", "shared_head.norm"),
        *site.matrix("eh_proj", "attention", (hidden, 2 * hidden), quantizable=False),
        *stored_again(site, rows, hidden, "embed_tokens", "shared_head.head"),
        *_attention(sizes, site),
        *_experts(sizes, site.at("mlp")),
    )
