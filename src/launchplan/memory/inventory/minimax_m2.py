"""MiniMax-M2, M2.1, M2.5 and M2.7."""

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
    router,
    vocabulary,
)

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes


def list_tensors(sizes: Sizes) -> Tensors:
    """List a MiniMax-M2 model; its routers are stored and kept in 32 bits."""
    hidden = sizes.hidden
    layer = Site("model.layers.{}.", sizes.all_layers)
    attention, moe = layer.at("self_attn"), layer.at("block_sparse_moe")
    heads = Heads(sizes.queries, sizes.keys, sizes.head, sizes.head)
    return gather(
        vocabulary("model.", sizes.vocabulary, hidden, tied=sizes.tied),
        grouped_query(attention, hidden, heads),
        _norms(sizes, attention) if sizes.flag("use_qk_norm") else (),
        layer.norms(hidden, "input_layernorm", "post_attention_layernorm"),
        router(moe, sizes.experts, hidden, width=4),
        (moe.vector("e_score_correction_bias", "router", sizes.experts, width=4),),
        experts(moe.at("experts"), sizes.experts, hidden, sizes.expert_width, ("w1", "w3", "w2")),
        final_norm("model.", hidden),
    )


def _norms(sizes: Sizes, site: Site) -> Tensors:
    """List the norms over all heads of a layer, which tensor parallelism splits."""
    return (
        site.vector("q_norm", "norm", sizes.queries * sizes.head, "rows"),
        site.vector("k_norm", "norm", sizes.keys * sizes.head, "heads", heads=sizes.keys),
    )
