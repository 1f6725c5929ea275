"""DeepSeek V4: shared-KV attention with compressors, hyper-connections, hashed routers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import Site, Tensors, experts, gather, mlp, router
from launchplan.memory.tensors import Tensor

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes

_EXPERT_NAMES = ("w1", "w3", "w2")
# Layers that look at every fourth token's state also have an indexer.
_INDEXED_RATIO = 4


def list_tensors(sizes: Sizes) -> Tensors:
    """List a DeepSeek V4 model."""
    hidden, rows = sizes.hidden, sizes.vocabulary
    ratios = sizes.integers("compress_ratios")
    hashed = sizes.integer("num_hash_layers", 0)
    every = Site("layers.{}.", sizes.all_layers)
    return gather(
        (
            Tensor("embed", "embedding", rows, hidden, split="vocabulary", place="first"),
            Tensor("head", "lm_head", rows, hidden, split="vocabulary", place="last"),
        ),
        _layer(sizes, every),
        *_compressed(sizes, "layers.{}.", ratios[: sizes.layer_count]),
        (
            Site("layers.{}.ffn.", sizes.all_layers[:hashed]).vector(
                "gate.tid2eid", "router", rows * sizes.integer("num_experts_per_tok"), width=4
            ),
            Site("layers.{}.ffn.", sizes.all_layers[hashed:]).vector(
                "gate.bias", "router", sizes.experts, width=4
            ),
        ),
        Site("", place="last").norms(hidden, "norm"),
        (Site("", place="last").vector("hc_head", "hyper_connection", _head_mixer(sizes), width=4),),
        *(_mtp(sizes, number, ratios) for number in range(sizes.model.mtp_layers or 0)),
    )


def _head_mixer(sizes: Sizes) -> int:
    streams = sizes.integer("hc_mult")
    return streams * streams * sizes.hidden + streams + 1


def _layer(sizes: Sizes, site: Site) -> Tensors:
    """List what every layer has."""
    hidden, heads, size = sizes.hidden, sizes.queries, sizes.head
    groups, low_rank = sizes.integer("o_groups"), sizes.integer("o_lora_rank")
    query_rank, streams = sizes.integer("q_lora_rank"), sizes.integer("hc_mult")
    mixers = (2 + streams) * streams
    attention, ffn = site.at("attn"), site.at("ffn")
    mixer = mixers * streams * hidden + mixers + 3
    return (
        *attention.matrix("wq_a", "mla", (query_rank, hidden)),
        *attention.norms(query_rank, "q_norm"),
        *attention.matrix("wq_b", "mla", (heads * size, query_rank), "rows"),
        *attention.matrix("wkv", "mla", (size, hidden)),
        *attention.norms(size, "kv_norm"),
        *attention.matrix("wo_a", "mla", (groups * low_rank, heads * size // groups), "rows"),
        *attention.matrix("wo_b", "mla", (hidden, groups * low_rank), "columns"),
        attention.vector("attn_sink", "mla", heads, "rows", width=4),
        *site.norms(hidden, "attn_norm", "ffn_norm"),
        site.vector("hc_attn", "hyper_connection", mixer, width=4),
        site.vector("hc_ffn", "hyper_connection", mixer, width=4),
        *router(ffn, sizes.experts, hidden),
        *experts(ffn.at("experts"), sizes.experts, hidden, sizes.expert_width, _EXPERT_NAMES),
        *mlp(
            ffn.at("shared_experts"), hidden, sizes.shared_width, kind="shared_experts", names=_EXPERT_NAMES
        ),
    )


def _compressed(sizes: Sizes, prefix: str, ratios: tuple[int, ...]) -> tuple[Tensors, ...]:
    """List compressors and indexers, one group a ratio."""
    found: list[Tensors] = []
    for ratio in sorted({ratio for ratio in ratios if ratio > 1}):
        layers = tuple(number for number, each in enumerate(ratios) if each == ratio)
        found.append(_of_ratio(sizes, Site(f"{prefix}attn.", layers), ratio))
    return tuple(found)


def _of_ratio(sizes: Sizes, site: Site, ratio: int) -> Tensors:
    tensors = _compressor(sizes, site.at("compressor"), ratio, sizes.head)
    if ratio == _INDEXED_RATIO:
        heads, size = sizes.integer("index_n_heads"), sizes.integer("index_head_dim")
        indexer = site.at("indexer")
        tensors += indexer.matrix("wq_b", "indexer", (heads * size, sizes.integer("q_lora_rank")))
        tensors += indexer.matrix("weights_proj", "indexer", (heads, sizes.hidden), quantizable=False)
        tensors += _compressor(sizes, indexer.at("compressor"), ratio, size)
    return tensors


def _compressor(sizes: Sizes, site: Site, ratio: int, size: int) -> Tensors:
    width = size * (2 if ratio == _INDEXED_RATIO else 1)
    return (
        *site.matrix("wkv", "compressor", (width, sizes.hidden), quantizable=False),
        *site.matrix("wgate", "compressor", (width, sizes.hidden), quantizable=False),
        site.vector("ape", "compressor", ratio * width, width=4),
        *site.norms(size, "norm"),
    )


def _mtp(sizes: Sizes, number: int, ratios: tuple[int, ...]) -> Tensors:
    site = Site(f"mtp.{number}.", part="mtp", place="last")
    hidden = sizes.hidden
    ratio = dict(enumerate(ratios)).get(sizes.layer_count + number, 0)
    return (
        *site.norms(hidden, "enorm", "hnorm", "norm"),
        *site.matrix("e_proj", "mla", (hidden, hidden)),
        *site.matrix("h_proj", "mla", (hidden, hidden)),
        site.vector("hc_head", "hyper_connection", _head_mixer(sizes), width=4),
        *_layer(sizes, site),
        site.vector("ffn.gate.bias", "router", sizes.experts, width=4),
        *(_of_ratio(sizes, site.at("attn"), ratio) if ratio > 1 else ()),
    )
