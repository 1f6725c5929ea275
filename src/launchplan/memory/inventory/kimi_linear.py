"""Kimi-Linear and Kimi-K3: Kimi Delta Attention next to latent attention, experts in a latent space."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import (
    Site,
    Tensors,
    experts,
    final_norm,
    gather,
    mlp,
    router,
    vocabulary,
)
from launchplan.memory.inventory.latent import latent_attention

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes
    from launchplan.memory.tensors import Kind

_KDA = "linear_attn_config"
# Kimi-K3 stores A_log for 128 heads though it has 96.
_STORED_GATE_HEADS = 128


def list_tensors(sizes: Sizes) -> Tensors:
    """List a Kimi model with delta attention."""
    vision = sizes.model.is_multimodal
    prefix = "language_model.model." if vision else "model."
    head = "language_model.lm_head" if vision else "lm_head"
    hidden, layers = sizes.hidden, f"{prefix}layers.{{}}."
    every = Site(layers, sizes.all_layers)
    delta = sizes.with_attention("kda")
    latent = Site(f"{layers}self_attn.", sizes.with_attention("mla"))
    gate = (sizes.queries * sizes.integer("v_head_dim"), hidden)
    residual = sizes.has("attn_res_block_size")
    return gather(
        vocabulary(prefix, sizes.vocabulary, hidden, tied=sizes.tied, head=head),
        _delta_attention(sizes, Site(f"{layers}self_attn.", delta)),
        latent_attention(sizes, latent),
        latent.matrix("g_proj", "mla", gate, "rows") if sizes.flag("mla_use_output_gate") else (),
        every.norms(hidden, "input_layernorm", "post_attention_layernorm"),
        every.norms(4 * hidden, "attn_res") if residual else (),
        mlp(Site(f"{layers}mlp.", sizes.dense_layers), hidden, sizes.dense_width)
        if sizes.dense_layers
        else (),
        _experts(sizes, Site(f"{layers}block_sparse_moe.", sizes.moe_layers)),
        final_norm(prefix, hidden),
        Site(prefix, place="last").norms(2 * hidden, "output_attn_res") if residual else (),
    )


def _delta_attention(sizes: Sizes, site: Site) -> Tensors:
    hidden = sizes.hidden
    heads, size = sizes.integer(f"{_KDA}.num_heads"), sizes.integer(f"{_KDA}.head_dim")
    kernel, width = sizes.integer(f"{_KDA}.short_conv_kernel_size"), heads * size
    fixed = 4 if sizes.model.is_multimodal else None
    kind: Kind = "linear_attention"
    tensors: Tensors = ()
    for name in ("q", "k", "v"):
        tensors += site.matrix(f"{name}_proj", kind, (width, hidden), "rows")
        tensors += (site.vector(f"{name}_conv1d", kind, width * kernel, "rows", width=fixed),)
    tensors += site.matrix("f_a_proj", kind, (size, hidden))
    tensors += site.matrix("f_b_proj", kind, (width, size), "rows")
    tensors += site.matrix("b_proj", kind, (heads, hidden), "rows")
    if sizes.flag(f"{_KDA}.use_full_rank_gate"):
        tensors += site.matrix("g_proj", kind, (width, hidden), "rows")
    else:
        tensors += site.matrix("g_a_proj", kind, (size, hidden))
        tensors += site.matrix("g_b_proj", kind, (width, size), "rows")
    stored_heads = _STORED_GATE_HEADS if sizes.model.is_multimodal else heads
    return (
        *tensors,
        site.vector("dt_bias", kind, width, "rows", width=4),
        site.vector("A_log", kind, stored_heads, "rows", width=4),
        site.vector("o_norm", kind, size, width=fixed),
        *site.matrix("o_proj", kind, (hidden, width), "columns"),
    )


def _biases(sizes: Sizes, site: Site, latent: int) -> Tensors:
    """List the biases that SGLang makes for mxfp4 experts though the checkpoint has none."""
    if "mxfp4" not in sizes.model.quantization.formats:
        return ()
    made = (
        site.vector("w13_bias", "experts", 2 * sizes.expert_width, "rows"),
        site.vector("w2_bias", "experts", latent, "columns"),
    )
    return tuple(replace(each, copies=sizes.experts, held_by=frozenset({"sglang"})) for each in made)


def _experts(sizes: Sizes, site: Site) -> Tensors:
    hidden = sizes.hidden
    latent = sizes.integer("routed_expert_hidden_size", hidden)
    tensors = router(site, sizes.experts, hidden)
    tensors += (site.vector("gate.e_score_correction_bias", "router", sizes.experts, width=4),)
    tensors += experts(site.at("experts"), sizes.experts, latent, sizes.expert_width, ("w1", "w3", "w2"))
    tensors += _biases(sizes, site.at("experts"), latent)
    if sizes.shared_width:
        tensors += mlp(site.at("shared_experts"), hidden, sizes.shared_width, kind="shared_experts")
    if latent != hidden:
        tensors += site.matrix("routed_expert_down_proj", "latent", (latent, hidden), quantizable=False)
        tensors += site.matrix("routed_expert_up_proj", "latent", (hidden, latent), quantizable=False)
        tensors += site.norms(latent, "routed_expert_norm")
    return tensors
