"""Nemotron-H and Nemotron 3: Mamba2, attention, MLPs and experts, one of them a layer."""

from __future__ import annotations

from dataclasses import replace
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
    from launchplan.memory.tensors import Kind

_UNGATED = ("up_proj", "down_proj")
_LETTERS = {"mamba": "M", "attention": "*", "mlp": "-", "moe": "E"}


def list_tensors(sizes: Sizes) -> Tensors:
    """List a Nemotron-H model."""
    hidden, layers = sizes.hidden, "backbone.layers.{}."
    embedding, *output = vocabulary("backbone.", sizes.vocabulary, hidden, tied=sizes.tied)
    return gather(
        (replace(embedding, name="backbone.embeddings"), *output),
        Site(layers, sizes.all_layers).norms(hidden, "norm"),
        *(_mixer(sizes, Site(f"{layers}mixer.", numbers), letter) for letter, numbers in _by_letter(sizes)),
        Site("backbone.", place="last").norms(hidden, "norm_f"),
        _mtp(sizes),
    )


def _by_letter(sizes: Sizes) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Number the layers of each letter of the pattern."""
    return (
        ("M", sizes.with_attention("mamba2")),
        ("*", sizes.with_attention("full")),
        ("E", sizes.moe_layers),
        ("-", sizes.dense_layers),
    )


def _mixer(sizes: Sizes, site: Site, letter: str) -> Tensors:
    if site.layers == ():
        return ()
    if letter == "M":
        return mamba2(sizes, site)
    if letter == "*":
        return grouped_query(site, sizes.hidden, Heads(sizes.queries, sizes.keys, sizes.head, sizes.head))
    if letter == "E":
        return _experts(sizes, site)
    return mlp(site, sizes.hidden, sizes.dense_width, names=_UNGATED)


def mamba2(sizes: Sizes, site: Site) -> Tensors:
    """List a Mamba2 mixer; B and C come in groups, of which each rank has at least one."""
    heads, groups = sizes.integer("mamba_num_heads"), sizes.integer("n_groups")
    width, states = heads * sizes.integer("mamba_head_dim"), 2 * groups * sizes.integer("ssm_state_size")
    hidden, kernel = sizes.hidden, sizes.integer("conv_kernel")
    taps = kernel + (1 if sizes.flag("use_conv_bias") else 0)
    kind: Kind = "linear_attention"
    return (
        *site.matrix("in_proj", kind, (2 * width + heads, hidden), "rows"),
        *site.matrix("in_proj", kind, (states, hidden), "heads", heads=groups),
        site.vector("conv1d", kind, width * taps, "rows"),
        site.vector("conv1d", kind, states * taps, "heads", heads=groups),
        site.vector("A_log", kind, heads, "rows", loaded_width=4),
        site.vector("D", kind, heads, "rows"),
        site.vector("dt_bias", kind, heads, "rows"),
        site.vector("norm", kind, width, "rows"),
        *site.matrix("out_proj", kind, (hidden, width), "columns"),
    )


def _experts(sizes: Sizes, site: Site) -> Tensors:
    hidden, latent = sizes.hidden, sizes.integer("moe_latent_size", 0)
    tensors = router(site, sizes.experts, hidden)
    tensors += (site.vector("gate.e_score_correction_bias", "router", sizes.experts, width=4),)
    tensors += experts(site.at("experts"), sizes.experts, latent or hidden, sizes.expert_width, _UNGATED)
    if sizes.shared_width:
        tensors += mlp(
            site.at("shared_experts"), hidden, sizes.shared_width, kind="shared_experts", names=_UNGATED
        )
    if latent:
        tensors += site.matrix("fc1_latent_proj", "latent", (latent, hidden))
        tensors += site.matrix("fc2_latent_proj", "latent", (hidden, latent))
    return tensors


def _mtp(sizes: Sizes) -> Tensors:
    pattern = sizes.model.dims.get("mtp_hybrid_override_pattern")
    words = sizes.model.lists.get("mtp_layers_block_type", ())
    letters = pattern if isinstance(pattern, str) else "".join(_LETTERS.get(str(w), "") for w in words)
    if not sizes.model.mtp_layers or not letters:
        return ()
    hidden, site = sizes.hidden, Site("mtp.", part="mtp", place="last")
    first = site.at("layers.0")
    tensors = first.matrix("eh_proj", "attention", (hidden, 2 * hidden), quantizable=False)
    tensors += first.norms(hidden, "enorm", "hnorm", "final_layernorm")
    for number, letter in enumerate(letters):
        layer = site.at(f"layers.{number}")
        tensors += layer.norms(hidden, "norm") + _mixer(sizes, layer.at("mixer"), letter)
    return tensors
