"""Ling and Ring of the second generation: grouped-query attention, fine-grained experts with one shared."""

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
    """List a Ling model: vLLM 0.33.0 model_executor/models/bailing_moe.py, without prediction layers."""
    hidden, layers = sizes.hidden, "model.layers.{}."
    every, moe = Site(layers, sizes.all_layers), Site(f"{layers}mlp.", sizes.moe_layers)
    embedding, *output = vocabulary("model.", sizes.vocabulary, hidden, tied=sizes.tied)
    return gather(
        (replace(embedding, name="model.word_embeddings"), *output),
        _attention(sizes, every.at("attention")),
        every.norms(hidden, "input_layernorm", "post_attention_layernorm"),
        mlp(Site(f"{layers}mlp.", sizes.dense_layers), hidden, sizes.dense_width)
        if sizes.dense_layers
        else (),
        _experts(sizes, moe) if sizes.moe_layers else (),
        final_norm("model.", hidden),
    )


def _attention(sizes: Sizes, site: Site) -> Tensors:
    bias = sizes.flag("use_bias")
    heads = Heads(
        sizes.queries,
        sizes.keys,
        sizes.head,
        sizes.head,
        bias=bias or sizes.flag("use_qkv_bias"),
        output_bias=bias,
    )
    # The checkpoint joins the first three; the names tell quantization settings apart.
    tensors = tuple(
        replace(each, name=each.name.replace("o_proj", "dense"))
        if "o_proj" in each.name
        else replace(each, name=f"{site.prefix}query_key_value")
        for each in grouped_query(site, sizes.hidden, heads)
    )
    if sizes.flag("use_qk_norm"):
        tensors += site.norms(sizes.head, "query_layernorm", "key_layernorm")
    return tensors


def _experts(sizes: Sizes, site: Site) -> Tensors:
    wide = 4 if sizes.model.dims.get("router_dtype") == "fp32" else None
    tensors = tuple(replace(gate, loaded_width=wide) for gate in router(site, sizes.experts, sizes.hidden))
    if sizes.flag("moe_router_enable_expert_bias"):
        tensors += (site.vector("gate.expert_bias", "router", sizes.experts, width=4),)
    tensors += experts(site.at("experts"), sizes.experts, sizes.hidden, sizes.expert_width)
    if sizes.shared_width:
        tensors += mlp(site.at("shared_experts"), sizes.hidden, sizes.shared_width, kind="shared_experts")
    return tensors
