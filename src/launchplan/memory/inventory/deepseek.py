"""DeepSeek V2, V3, R1, V3.2; Kimi K2 and K2.5; GLM-5: latent attention, fine-grained experts, MTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import (
    Site,
    Tensors,
    experts,
    final_norm,
    gather,
    mlp,
    router,
    stored_again,
    vocabulary,
)
from launchplan.memory.inventory.latent import latent_attention, sparse_indexer

if TYPE_CHECKING:
    from launchplan.memory.inventory.sizes import Sizes

# These configs count a prediction layer, and their checkpoints hold none.
_WITHOUT_MTP = frozenset({"kimi_k2"})


def list_tensors(sizes: Sizes) -> Tensors:
    """List a model of DeepSeek's making."""
    vision = sizes.model.is_multimodal
    prefix = "language_model.model." if vision else "model."
    head = "language_model.lm_head" if vision else "lm_head"
    hidden, layers = sizes.hidden, f"{prefix}layers.{{}}."
    every = Site(layers, sizes.all_layers)
    return gather(
        vocabulary(prefix, sizes.vocabulary, hidden, tied=sizes.tied, head=head),
        latent_attention(sizes, every.at("self_attn")),
        sparse_indexer(sizes, Site(f"{layers}self_attn.indexer.", _indexed(sizes)))
        if sizes.model.sparse_indexer
        else (),
        every.norms(hidden, "input_layernorm", "post_attention_layernorm"),
        mlp(Site(f"{layers}mlp.", sizes.dense_layers), hidden, sizes.dense_width)
        if sizes.dense_layers
        else (),
        _experts(sizes, Site(f"{layers}mlp.", sizes.moe_layers)) if sizes.moe_layers else (),
        final_norm(prefix, hidden),
        *(_mtp(sizes, prefix, number) for number in range(_mtp_count(sizes))),
    )


def _indexed(sizes: Sizes) -> tuple[int, ...]:
    """Number the layers with an indexer of their own: GLM-5.2 shares some between layers."""
    kinds = sizes.model.lists.get("indexer_types", ())
    if not kinds:
        return sizes.all_layers
    return tuple(number for number in sizes.all_layers if kinds[number : number + 1] == ("full",))


def _experts(sizes: Sizes, site: Site) -> Tensors:
    tensors = router(site, sizes.experts, sizes.hidden)
    tensors += (site.vector("gate.e_score_correction_bias", "router", sizes.experts, width=4),)
    tensors += experts(site.at("experts"), sizes.experts, sizes.hidden, sizes.expert_width)
    if sizes.shared_width:
        tensors += mlp(site.at("shared_experts"), sizes.hidden, sizes.shared_width, kind="shared_experts")
    return tensors


def _mtp_count(sizes: Sizes) -> int:
    return 0 if sizes.model.text_model_type in _WITHOUT_MTP else sizes.model.mtp_layers or 0


def _mtp(sizes: Sizes, prefix: str, number: int) -> Tensors:
    site = Site(f"{prefix}layers.{sizes.layer_count + number}.", part="mtp", place="last")
    hidden = sizes.hidden
    tensors = site.norms(hidden, "enorm", "hnorm", "shared_head.norm")
    tensors += site.matrix("eh_proj", "mla", (hidden, 2 * hidden), quantizable=False)
    # DeepSeek stores embedding and output layer once more; GLM-5 does not.
    if not sizes.model.sparse_indexer or (sizes.model.text_model_type or "").startswith("deepseek"):
        tensors += stored_again(site, sizes.vocabulary, hidden, "embed_tokens", "shared_head.head")
    tensors += latent_attention(sizes, site.at("self_attn"))
    if sizes.model.sparse_indexer:
        tensors += sparse_indexer(sizes, site.at("self_attn").at("indexer"))
    tensors += site.norms(hidden, "input_layernorm", "post_attention_layernorm")
    return tensors + (
        _experts(sizes, site.at("mlp"))
        if sizes.model.is_moe
        else mlp(site.at("mlp"), hidden, sizes.dense_width)
    )
