"""MiniMax-M3: grouped-query attention with a sparse indexer, shared experts."""

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

_SPARSE = "sparse_attention_config"


def list_tensors(sizes: Sizes) -> Tensors:
    """List a MiniMax-M3 model; its routers are stored in 32 bits."""
    vision = sizes.model.is_multimodal
    prefix = "language_model.model." if vision else "model."
    head = "language_model.lm_head" if vision else "lm_head"
    hidden, layers = sizes.hidden, f"{prefix}layers.{{}}."
    every = Site(layers, sizes.all_layers)
    attention = every.at("self_attn")
    heads = Heads(sizes.queries, sizes.keys, sizes.head, sizes.head)
    moe = Site(f"{layers}block_sparse_moe.", sizes.moe_layers)
    return gather(
        vocabulary(prefix, sizes.vocabulary, hidden, tied=sizes.tied, head=head),
        grouped_query(attention, hidden, heads),
        attention.norms(sizes.head, "q_norm", "k_norm"),
        _indexer(sizes, f"{layers}self_attn."),
        every.norms(hidden, "input_layernorm", "post_attention_layernorm"),
        mlp(Site(f"{layers}mlp.", sizes.dense_layers), hidden, sizes.dense_width)
        if sizes.dense_layers
        else (),
        router(moe, sizes.experts, hidden, width=4),
        (moe.vector("e_score_correction_bias", "router", sizes.experts, width=4),),
        experts(moe.at("experts"), sizes.experts, hidden, sizes.expert_width, ("w1", "w3", "w2")),
        mlp(moe.at("shared_experts"), hidden, sizes.shared_width, kind="shared_experts")
        if sizes.shared_width
        else (),
        final_norm(prefix, hidden),
    )


def sparse_layers(sizes: Sizes) -> tuple[int, ...]:
    """Number the layers with an indexer."""
    flags = sizes.integers(f"{_SPARSE}.sparse_attention_freq")
    return tuple(number for number, flag in enumerate(flags) if flag)


def _indexer(sizes: Sizes, prefix: str) -> Tensors:
    if not sparse_layers(sizes):
        return ()
    site, hidden = Site(prefix, sparse_layers(sizes)), sizes.hidden
    heads, size = (
        sizes.integer(f"{_SPARSE}.sparse_num_index_heads"),
        sizes.integer(f"{_SPARSE}.sparse_index_dim"),
    )
    return (
        *site.matrix("index_q_proj", "indexer", (heads * size, hidden), "heads", heads=heads),
        *site.matrix("index_k_proj", "indexer", (size, hidden)),
        *site.norms(size, "index_q_norm", "index_k_norm"),
    )
