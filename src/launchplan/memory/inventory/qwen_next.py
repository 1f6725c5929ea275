"""Qwen3-Next, 3.5, 3.6 and 3.8: Gated DeltaNet next to gated attention, dense or with experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import (
    Heads,
    Site,
    Tensors,
    final_norm,
    gather,
    grouped_query,
    mlp,
    vocabulary,
)
from launchplan.memory.inventory.llama import text_prefix
from launchplan.memory.inventory.qwen_moe import moe_block

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes
    from launchplan.memory.tensors import Kind


def list_tensors(sizes: Sizes) -> Tensors:
    """List the text model and its prediction layers."""
    prefix, hidden = text_prefix(sizes), sizes.hidden
    layers = f"{prefix}layers.{{}}."
    full = sizes.with_attention("full")
    delta = sizes.with_attention("gdn")
    return gather(
        vocabulary(prefix, sizes.vocabulary, hidden, tied=sizes.tied),
        _attention(sizes, Site(f"{layers}self_attn.", full)),
        gated_delta_net(sizes, Site(f"{layers}linear_attn.", delta)),
        Site(layers, sizes.all_layers).norms(hidden, "input_layernorm", "post_attention_layernorm"),
        _feed_forward(
            sizes, Site(f"{layers}mlp.", sizes.dense_layers), Site(f"{layers}mlp.", sizes.moe_layers)
        ),
        final_norm(prefix, hidden),
        _mtp(sizes),
    )


def _attention(sizes: Sizes, site: Site) -> Tensors:
    heads = Heads(
        queries=sizes.queries,
        keys=sizes.keys,
        size=sizes.head,
        value_size=sizes.head,
        gated=sizes.flag("attn_output_gate", default=True),
    )
    return grouped_query(site, sizes.hidden, heads) + site.norms(sizes.head, "q_norm", "k_norm")


def gated_delta_net(sizes: Sizes, site: Site) -> Tensors:
    """List a Gated DeltaNet mixer."""
    hidden = sizes.hidden
    value_heads = sizes.integer("linear_num_value_heads")
    keys = sizes.integer("linear_num_key_heads") * sizes.integer("linear_key_head_dim")
    value_size = sizes.integer("linear_value_head_dim")
    values = value_heads * value_size
    kernel = sizes.integer("linear_conv_kernel_dim")
    kind: Kind = "linear_attention"
    return (
        *site.matrix("in_proj_qkv", kind, (2 * keys + values, hidden), "rows"),
        *site.matrix("in_proj_z", kind, (values, hidden), "rows"),
        *site.matrix("in_proj_b", kind, (value_heads, hidden), "rows", quantizable=False),
        *site.matrix("in_proj_a", kind, (value_heads, hidden), "rows", quantizable=False),
        site.vector("conv1d", kind, (2 * keys + values) * kernel, "rows"),
        site.vector("A_log", kind, value_heads, "rows", width=4),
        site.vector("dt_bias", kind, value_heads, "rows"),
        site.vector("norm", kind, value_size, width=4),
        *site.matrix("out_proj", kind, (hidden, values), "columns"),
    )


def _feed_forward(sizes: Sizes, dense: Site, moe: Site) -> Tensors:
    tensors: Tensors = ()
    if dense.layers != ():
        tensors += mlp(dense, sizes.hidden, sizes.dense_width)
    if moe.layers != ():
        tensors += moe_block(sizes, moe)
    return tensors


def _mtp(sizes: Sizes) -> Tensors:
    hidden = sizes.hidden
    # Qwen3-Next ships one prediction layer that no key of its config counts.
    count = sizes.model.mtp_layers or (1 if sizes.model.text_model_type == "qwen3_next" else 0)
    if not count:
        return ()
    site = Site("mtp.", part="mtp", place="last")
    tensors = site.matrix("fc", "attention", (hidden, 2 * hidden), quantizable=False)
    tensors += site.norms(hidden, "norm", "pre_fc_norm_embedding", "pre_fc_norm_hidden")
    for number in range(count):
        layer = site.at(f"layers.{number}")
        tensors += layer.norms(hidden, "input_layernorm", "post_attention_layernorm")
        tensors += _attention(sizes, layer.at("self_attn"))
        tensors += (
            moe_block(sizes, layer.at("mlp"))
            if sizes.model.is_moe
            else mlp(layer.at("mlp"), hidden, sizes.dense_width)
        )
    return tensors
