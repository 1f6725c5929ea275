"""Llama-Nemotron: layers pruned one by one, listed in `block_configs`."""

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

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes
    from launchplan.memory.tensors import Kind

# DeciLM rounds the width of an MLP up to a multiple of this.
_WIDTH_STEP = 256


def list_tensors(sizes: Sizes) -> Tensors:
    """List a pruned Llama."""
    hidden = sizes.hidden
    return gather(
        vocabulary("model.", sizes.vocabulary, hidden, tied=sizes.tied),
        *(_attention(sizes, *each) for each in _grouped(sizes, "block_configs.attention.n_heads_in_group")),
        *(_mlp(sizes, *each) for each in _grouped(sizes, "block_configs.ffn.ffn_mult")),
        _linear(sizes, "attention", "self_attn.linear_attn"),
        _linear(sizes, "ffn", "mlp.linear_mlp"),
        final_norm("model.", hidden),
    )


def _grouped(sizes: Sizes, key: str) -> tuple[tuple[float, tuple[int, ...]], ...]:
    """Pair each value of a list with the layers that have it, leaving out those without one."""
    values = sizes.model.lists.get(key, ())
    found: dict[float, tuple[int, ...]] = {}
    for number, value in enumerate(values):
        if isinstance(value, int | float) and value:
            found[value] = (*found.get(value, ()), number)
    return tuple(found.items())


def _attention(sizes: Sizes, queries_a_key: float, layers: tuple[int, ...]) -> Tensors:
    site = Site("model.layers.{}.", layers)
    heads = Heads(sizes.queries, int(sizes.queries // queries_a_key), sizes.head, sizes.head)
    return grouped_query(site.at("self_attn"), sizes.hidden, heads) + site.norms(
        sizes.hidden, "input_layernorm"
    )


def _mlp(sizes: Sizes, multiple: float, layers: tuple[int, ...]) -> Tensors:
    site, hidden = Site("model.layers.{}.", layers), sizes.hidden
    width = -(-int(2 * multiple * hidden / 3) // _WIDTH_STEP) * _WIDTH_STEP
    return mlp(site.at("mlp"), hidden, width) + site.norms(hidden, "post_attention_layernorm")


def _linear(sizes: Sizes, block: str, name: str) -> Tensors:
    """List the single matrices that stand for a whole block in some layers."""
    flags = sizes.model.lists.get(f"block_configs.{block}.replace_with_linear", ())
    layers = tuple(number for number, flag in enumerate(flags) if flag)
    norm = "input_layernorm" if block == "attention" else "post_attention_layernorm"
    site = Site("model.layers.{}.", layers)
    kind: Kind = "attention" if block == "attention" else "mlp"
    return (
        *site.matrix(name, kind, (sizes.hidden, sizes.hidden)),
        *site.norms(sizes.hidden, norm),
    )
