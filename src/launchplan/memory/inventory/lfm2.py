"""LFM2: short convolutions and grouped-query attention, with and without experts."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import (
    Heads,
    Site,
    Tensors,
    experts,
    gather,
    grouped_query,
    mlp,
    router,
    vocabulary,
)

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes

_NAMES = ("w1", "w3", "w2")


def list_tensors(sizes: Sizes) -> Tensors:
    """List an LFM2 model: vLLM 0.33.0 model_executor/models/{lfm2,lfm2_moe}.py."""
    hidden, layers = sizes.hidden, "model.layers.{}."
    moe, dense = (Site(f"{layers}feed_forward.", some) for some in (sizes.moe_layers, sizes.dense_layers))
    attention = Site(f"{layers}self_attn.", sizes.with_attention("full"))
    heads = Heads(sizes.queries, sizes.keys, sizes.head, sizes.head)
    return gather(
        vocabulary("model.", sizes.vocabulary, hidden, tied=sizes.model.tie_word_embeddings is not False),
        _convolution(sizes, Site(f"{layers}conv.", sizes.with_attention("conv"))),
        grouped_query(attention, hidden, heads),
        attention.norms(sizes.head, "q_layernorm", "k_layernorm"),
        Site(layers, sizes.all_layers).norms(hidden, "operator_norm", "ffn_norm"),
        mlp(dense, hidden, _dense_width(sizes), names=_NAMES) if sizes.dense_layers else (),
        _experts(sizes, moe) if sizes.moe_layers else (),
        Site("model.", place="last").norms(hidden, "embedding_norm"),
    )


def _dense_width(sizes: Sizes) -> int:
    """Give the width of the dense blocks, which the class adjusts unless told otherwise (lfm2.py:76)."""
    width = sizes.integer("block_ff_dim", sizes.dense_width)
    if sizes.model.text_model_type != "lfm2" or not sizes.flag("block_auto_adjust_ff_dim", default=True):
        return width
    factor, step = sizes.model.dims.get("block_ffn_dim_multiplier"), sizes.integer("block_multiple_of", 256)
    adjusted = int((factor if isinstance(factor, int | float) else 1.0) * int(2 * width / 3))
    return step * ceil(adjusted / step)


def _convolution(sizes: Sizes, site: Site) -> Tensors:
    hidden, taps = sizes.hidden, sizes.integer("conv_L_cache")
    bias = sizes.flag("conv_bias")
    return (
        *site.matrix("in_proj", "linear_attention", (3 * hidden, hidden), "rows", bias=bias),
        site.vector("conv", "linear_attention", hidden * (taps + bias), "rows"),
        *site.matrix("out_proj", "linear_attention", (hidden, hidden), "columns", bias=bias),
    )


def _experts(sizes: Sizes, site: Site) -> Tensors:
    tensors = router(site, sizes.experts, sizes.hidden)
    if sizes.flag("use_expert_bias", default=True):
        tensors += (site.vector("expert_bias", "router", sizes.experts, width=4),)
    return tensors + experts(site.at("experts"), sizes.experts, sizes.hidden, sizes.expert_width, _NAMES)
