"""Llama and the dense models built like it: Mistral, Qwen, GLM-4, Granite, Phi-3, StarCoder2, MiMo-7B."""

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

# transformers: these classes give q, k and v biases without a key that says so.
_QKV_BIAS = frozenset(
    {"qwen2", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "mimo", "glm4v_text"}
)
# These have a key for the biases of q, k and v, and none of the output.
_PLAIN_OUTPUT = frozenset({"glm", "glm4"})
# Their blocks are normalised on the way out, too.
_SANDWICHED = frozenset({"glm4", "glm4v_text"})
_HEAD_NORMS = frozenset({"qwen3", "qwen3_vl_text"})


def dense_heads(sizes: Sizes) -> Heads:
    """Read the attention of a model whose layers are all alike."""
    kind = sizes.model.text_model_type
    bias = sizes.flag("attention_bias", default=kind in _QKV_BIAS) or sizes.flag("use_bias")
    return Heads(
        queries=sizes.queries,
        keys=sizes.keys,
        size=sizes.head,
        value_size=sizes.model.v_head_dim or sizes.head,
        bias=bias,
        output_bias=bias and kind not in _QKV_BIAS | _HEAD_NORMS | _PLAIN_OUTPUT,
    )


def text_prefix(sizes: Sizes) -> str:
    """Give the start of the names of the text model's modules."""
    return "model.language_model." if sizes.model.is_multimodal else "model."


def list_tensors(sizes: Sizes) -> Tensors:
    """List a dense model."""
    prefix, hidden = text_prefix(sizes), sizes.hidden
    layer = Site(f"{prefix}layers.{{}}.", sizes.all_layers)
    return gather(
        vocabulary(prefix, sizes.vocabulary, hidden, tied=sizes.tied),
        _layer(sizes, layer),
        final_norm(prefix, hidden),
        *(_mtp(sizes, f"{prefix}mtp_layers.{i}.") for i in range(sizes.model.mtp_layers or 0)),
    )


def _layer(sizes: Sizes, site: Site) -> Tensors:
    kind, hidden = sizes.model.text_model_type, sizes.hidden
    attention = site.at("self_attn")
    biased = kind == "starcoder2"
    tensors = grouped_query(attention, hidden, dense_heads(sizes))
    if kind in _HEAD_NORMS:
        tensors += attention.norms(sizes.head, "q_norm", "k_norm")
    tensors += site.norms(hidden, "input_layernorm", "post_attention_layernorm", biased=biased)
    if kind in _SANDWICHED:
        tensors += site.norms(hidden, "post_self_attn_layernorm", "post_mlp_layernorm")
    names = ("c_fc", "c_proj") if kind == "starcoder2" else ("gate_proj", "up_proj", "down_proj")
    names = ("up_proj", "down_proj") if kind == "arcee" else names
    bias = sizes.flag("mlp_bias") or (biased and sizes.flag("use_bias"))
    return tensors + mlp(site.at("mlp"), hidden, sizes.dense_width, names=names, bias=bias)


def _mtp(sizes: Sizes, prefix: str) -> Tensors:
    """List one of MiMo-7B's prediction layers."""
    site = Site(prefix, part="mtp", place="last")
    return (
        *site.norms(sizes.hidden, "token_layernorm", "hidden_layernorm", "final_layernorm"),
        *site.matrix("input_proj", "attention", (sizes.hidden, 2 * sizes.hidden), quantizable=False),
        *_layer(sizes, site),
    )
