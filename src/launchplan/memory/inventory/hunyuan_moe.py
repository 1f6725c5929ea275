"""Hunyuan-A13B: grouped-query attention, experts with one shared of the same width."""

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
    """List a Hunyuan model: transformers 5.19.0 models/hunyuan_v1_moe, which vLLM 0.33.0 loads."""
    hidden = sizes.hidden
    layer = Site("model.layers.{}.", sizes.all_layers)
    attention, moe = layer.at("self_attn"), layer.at("mlp")
    heads = Heads(sizes.queries, sizes.keys, sizes.head, sizes.head, bias=sizes.flag("attention_bias"))
    return gather(
        vocabulary("model.", sizes.vocabulary, hidden, tied=sizes.tied),
        grouped_query(attention, hidden, heads),
        attention.norms(sizes.head, "query_layernorm", "key_layernorm"),
        layer.norms(hidden, "input_layernorm", "post_attention_layernorm"),
        router(moe, sizes.experts, hidden, "gate.wg", width=4),
        experts(moe.at("experts"), sizes.experts, hidden, sizes.expert_width),
        mlp(moe.at("shared_mlp"), hidden, sizes.shared_width, kind="shared_experts"),
        final_norm("model.", hidden),
    )
