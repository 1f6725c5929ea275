"""Qwen2-MoE and Qwen3-MoE, with and without vision, and Mellum 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import (
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
from launchplan.memory.inventory.llama import dense_heads, text_prefix

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes


def list_tensors(sizes: Sizes) -> Tensors:
    """List a Qwen model with routed experts."""
    prefix, hidden = text_prefix(sizes), sizes.hidden
    layers = f"{prefix}layers.{{}}."
    every = Site(layers, sizes.all_layers)
    attention = every.at("self_attn")
    return gather(
        vocabulary(prefix, sizes.vocabulary, hidden, tied=sizes.tied),
        grouped_query(attention, hidden, dense_heads(sizes)),
        attention.norms(sizes.head, "q_norm", "k_norm") if _has_head_norms(sizes) else (),
        every.norms(hidden, "input_layernorm", "post_attention_layernorm"),
        mlp(Site(f"{layers}mlp.", sizes.dense_layers), hidden, sizes.dense_width)
        if sizes.dense_layers
        else (),
        moe_block(sizes, Site(f"{layers}mlp.", sizes.moe_layers)),
        final_norm(prefix, hidden),
    )


def moe_block(sizes: Sizes, site: Site) -> Tensors:
    """List a Qwen MoE block: router, experts, one gated shared expert where there is one."""
    hidden = sizes.hidden
    tensors = router(site, sizes.experts, hidden)
    tensors += experts(site.at("experts"), sizes.experts, hidden, sizes.expert_width)
    if sizes.shared_width:
        tensors += mlp(site.at("shared_expert"), hidden, sizes.shared_width, kind="shared_experts")
        tensors += site.matrix("shared_expert_gate", "shared_experts", (1, hidden), quantizable=False)
    return tensors


def _has_head_norms(sizes: Sizes) -> bool:
    return (sizes.model.text_model_type or "").startswith(("qwen3", "mellum"))
