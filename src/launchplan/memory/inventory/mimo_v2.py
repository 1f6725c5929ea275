"""MiMo-V2-Flash: sliding and full attention of different heads, experts without shared ones."""

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
    vocabulary,
)

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes

# The checkpoint ships three prediction layers that no key counts.
_MTP_LAYERS = 3


def list_tensors(sizes: Sizes) -> Tensors:
    """List a MiMo-V2 model."""
    hidden, layers = sizes.hidden, "model.layers.{}."
    every, moe = Site(layers, sizes.all_layers), Site(f"{layers}mlp.", sizes.moe_layers)
    return gather(
        vocabulary("model.", sizes.vocabulary, hidden, tied=sizes.tied),
        *(
            _attention(
                sizes,
                Site(f"{layers}self_attn.", sizes.with_attention(kind)),
                kind,
            )
            for kind in ("full", "sliding")
        ),
        every.norms(hidden, "input_layernorm", "post_attention_layernorm"),
        mlp(Site(f"{layers}mlp.", sizes.dense_layers), hidden, sizes.dense_width)
        if sizes.dense_layers
        else (),
        router(moe, sizes.experts, hidden),
        (moe.vector("gate.e_score_correction_bias", "router", sizes.experts, width=4),),
        experts(moe.at("experts"), sizes.experts, hidden, sizes.expert_width),
        final_norm("model.", hidden),
        *(_mtp(sizes, number) for number in range(sizes.model.mtp_layers or _MTP_LAYERS)),
    )


def attention_heads(sizes: Sizes, kind: str) -> Heads:
    """Read the heads of the full or the sliding layers."""
    if kind == "full":
        return Heads(sizes.queries, sizes.keys, sizes.head, sizes.integer("v_head_dim", sizes.head))
    return Heads(
        queries=sizes.integer("swa_num_attention_heads", sizes.queries),
        keys=sizes.integer("swa_num_key_value_heads", sizes.keys),
        size=sizes.integer("swa_head_dim", sizes.head),
        value_size=sizes.integer("swa_v_head_dim", sizes.integer("v_head_dim", sizes.head)),
    )


def _attention(sizes: Sizes, site: Site, kind: str) -> Tensors:
    heads = attention_heads(sizes, kind)
    tensors = grouped_query(site, sizes.hidden, heads)
    key = "add_full_attention_sink_bias" if kind == "full" else "add_swa_attention_sink_bias"
    if sizes.flag(key):
        tensors += (site.vector("attention_sink_bias", "attention", heads.queries, "rows"),)
    return tensors


def _mtp(sizes: Sizes, number: int) -> Tensors:
    site = Site(f"model.mtp.layers.{number}.", part="mtp", place="last")
    hidden = sizes.hidden
    return (
        *site.norms(hidden, "enorm", "hnorm", "final_layernorm", "input_layernorm", "pre_mlp_layernorm"),
        *site.matrix("eh_proj", "attention", (hidden, 2 * hidden), quantizable=False),
        *_attention(sizes, site.at("self_attn"), "sliding"),
        *mlp(site.at("mlp"), hidden, sizes.integer("intermediate_size")),
    )
