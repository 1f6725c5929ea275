"""Gemma 4: two kinds of attention, a dense MLP beside the experts, embeddings a layer."""

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
    vocabulary,
)
from launchplan.memory.tensors import Tensor

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes

_PREFIX = "model.language_model."


def list_tensors(sizes: Sizes) -> Tensors:
    """List a Gemma 4 model."""
    hidden, layers = sizes.hidden, f"{_PREFIX}layers.{{}}."
    every = Site(layers, sizes.all_layers)
    return gather(
        vocabulary(_PREFIX, sizes.vocabulary, hidden, tied=sizes.model.tie_word_embeddings is not False),
        *(_attention(sizes, layers, kind) for kind in ("full", "sliding")),
        every.norms(4 * hidden + 1, "norms"),
        *_dense(sizes, layers),
        _experts(sizes, Site(layers, sizes.moe_layers)) if sizes.moe_layers else (),
        _layer_embeddings(sizes, every),
        final_norm(_PREFIX, hidden),
    )


def attention_heads(sizes: Sizes, kind: str) -> Heads:
    """Read the heads of the full or the sliding layers."""
    size, keys, same = sizes.head, sizes.keys, False
    if kind == "full":
        size = sizes.integer("global_head_dim", size)
        same = sizes.flag("attention_k_eq_v")
        keys = sizes.integer("num_global_key_value_heads", keys) if same else keys
    return Heads(sizes.queries, keys, size, size, values_are_keys=same)


def _dense(sizes: Sizes, prefix: str) -> tuple[Tensors, ...]:
    """List the dense blocks: where the config says so, layers that share a cache have wider ones."""
    wide = sizes.integer("num_kv_shared_layers", 0) if sizes.flag("use_double_wide_mlp") else 0
    first, width = sizes.layer_count - wide, sizes.dense_width
    sites = (Site(f"{prefix}mlp.", sizes.all_layers[:first]), Site(f"{prefix}mlp.", sizes.all_layers[first:]))
    return (mlp(sites[0], sizes.hidden, width), mlp(sites[1], sizes.hidden, 2 * width))


def _attention(sizes: Sizes, prefix: str, kind: str) -> Tensors:
    site = Site(f"{prefix}self_attn.", sizes.with_attention(kind))
    heads = attention_heads(sizes, kind)
    return grouped_query(site, sizes.hidden, heads) + site.norms(heads.size, "q_norm", "k_norm")


def _experts(sizes: Sizes, site: Site) -> Tensors:
    hidden = sizes.hidden
    return (
        *site.norms(3 * hidden, "norms_moe"),
        *site.matrix("router.proj", "router", (sizes.experts, hidden), quantizable=False),
        site.vector("router.scales", "router", hidden + sizes.experts),
        *experts(site.at("experts"), sizes.experts, hidden, sizes.expert_width),
    )


def _layer_embeddings(sizes: Sizes, site: Site) -> Tensors:
    """List the small embeddings that each layer adds (E2B and E4B)."""
    width, hidden = sizes.integer("hidden_size_per_layer_input", 0), sizes.hidden
    if not width:
        return ()
    outside, all_widths = Site(_PREFIX, place="first"), sizes.layer_count * width
    return (
        Tensor(
            f"{_PREFIX}embed_tokens_per_layer",
            "embedding",
            sizes.integer("vocab_size_per_layer_input"),
            all_widths,
            split="vocabulary",
            place="first",
        ),
        *outside.matrix("per_layer_model_projection", "embedding", (all_widths, hidden), "rows"),
        *outside.norms(width, "per_layer_projection_norm"),
        *site.matrix("per_layer_input_gate", "mlp", (width, hidden)),
        *site.matrix("per_layer_projection", "mlp", (hidden, width)),
        *site.norms(hidden, "post_per_layer_input_norm"),
    )
