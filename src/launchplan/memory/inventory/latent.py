"""Multi-head latent attention and its sparse indexer, as DeepSeek, Kimi and GLM-5 have them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import Site, Tensors
from launchplan.memory.tensors import EVERYWHERE

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes
    from launchplan.memory.tensors import Holder


def latent_attention(sizes: Sizes, site: Site) -> Tensors:
    """List the projections: those into the latent space are whole on every rank."""
    hidden, heads = sizes.hidden, sizes.queries
    rank, rope = sizes.integer("kv_lora_rank"), sizes.integer("qk_rope_head_dim")
    nope, value = sizes.integer("qk_nope_head_dim"), sizes.integer("v_head_dim")
    query_rank = sizes.integer("q_lora_rank", 0)
    queries = heads * (nope + rope)
    if query_rank:
        tensors = site.matrix("q_a_proj", "mla", (query_rank, hidden))
        tensors += site.norms(query_rank, "q_a_layernorm")
        tensors += site.matrix("q_b_proj", "mla", (queries, query_rank), "rows")
    else:
        tensors = site.matrix("q_proj", "mla", (queries, hidden), "rows")
    tensors += site.matrix("kv_a_proj_with_mqa", "mla", (rank + rope, hidden))
    tensors += site.norms(rank, "kv_a_layernorm")
    tensors += site.matrix("kv_b_proj", "mla", (heads * (nope + value), rank), "rows")
    return tensors + site.matrix("o_proj", "mla", (hidden, heads * value), "columns")


def sparse_indexer(sizes: Sizes, site: Site) -> Tensors:
    """List the indexer that picks the tokens of sparse attention; it is whole on every rank."""
    heads, size = sizes.integer("index_n_heads"), sizes.integer("index_head_dim")
    # Fused with weights_proj, in 16 bits: by vLLM always, by SGLang when the rotation is interleaved.
    both = sizes.interleaves_indexer
    fusing: frozenset[Holder] = frozenset({"vllm", "sglang"}) if both else frozenset({"vllm"})
    keys = site.matrix("wk", "indexer", (size, sizes.hidden))
    return (
        *site.matrix("wq_b", "indexer", (heads * size, sizes.integer("q_lora_rank"))),
        *(replace(key, held_by=EVERYWHERE - fusing) for key in keys),
        *(replace(key, held_by=fusing, quantizable=False) for key in keys),
        *site.norms(size, "k_norm", biased=True),
        *site.matrix("weights_proj", "indexer", (heads, sizes.hidden), quantizable=False),
    )
