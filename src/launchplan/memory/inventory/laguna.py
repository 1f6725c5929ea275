"""Laguna: heads that differ by layer and have a gate each, experts with one shared."""

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


def list_tensors(sizes: Sizes) -> Tensors:
    """List a Laguna model: vLLM 0.33.0 model_executor/models/laguna.py."""
    hidden, layers = sizes.hidden, "model.layers.{}."
    every, moe = Site(layers, sizes.all_layers), Site(f"{layers}mlp.", sizes.moe_layers)
    return gather(
        vocabulary("model.", sizes.vocabulary, hidden, tied=sizes.tied),
        *(_attention(sizes, f"{layers}self_attn.", queries) for queries in sorted(set(_queries(sizes)))),
        every.norms(hidden, "input_layernorm", "post_attention_layernorm"),
        mlp(Site(f"{layers}mlp.", sizes.dense_layers), hidden, sizes.dense_width)
        if sizes.dense_layers
        else (),
        router(moe, sizes.experts, hidden),
        (moe.vector("experts.e_score_correction_bias", "router", sizes.experts, width=4),),
        experts(moe.at("experts"), sizes.experts, hidden, sizes.expert_width),
        mlp(moe.at("shared_expert"), hidden, sizes.shared_width, kind="shared_experts")
        if sizes.shared_width
        else (),
        final_norm("model.", hidden),
    )


def _queries(sizes: Sizes) -> tuple[int, ...]:
    """Give the query heads of each layer."""
    listed = sizes.integers("num_attention_heads_per_layer")
    return listed if len(listed) == sizes.layer_count else (sizes.queries,) * sizes.layer_count


def _attention(sizes: Sizes, prefix: str, queries: int) -> Tensors:
    site = Site(prefix, tuple(n for n, count in enumerate(_queries(sizes)) if count == queries))
    heads = Heads(queries, sizes.keys, sizes.head, sizes.head)
    tensors = grouped_query(site, sizes.hidden, heads) + site.norms(sizes.head, "q_norm", "k_norm")
    gating = sizes.model.dims.get("gating", True)
    if not gating:
        return tensors
    gates = queries if gating is True or gating == "per-head" else queries * sizes.head
    return tensors + site.matrix("g_proj", "attention", (gates, sizes.hidden), "rows")
