"""Attention heads, latent attention, windows, and which layer has which attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.architecture.block_lists import listed_blocks
from launchplan.architecture.types import AttentionKind, AttentionLayer, Mla

if TYPE_CHECKING:
    from launchplan.architecture.fields import Fields

# Names of `layer_types` in transformers; "linear_attention" depends on the family and is not here.
_LAYER_TYPES: dict[str, AttentionLayer] = {
    "full_attention": "full",
    "attention": "full",
    "sliding_attention": "sliding",
    "chunked_attention": "chunked",
    "mamba": "mamba2",
    "conv": "conv",
}
_PATTERN: dict[str, AttentionLayer] = {"M": "mamba2", "*": "full", "-": "none", "E": "none"}
_BLOCK_TYPES: dict[str, AttentionLayer] = {
    "mamba": "mamba2",
    "attention": "full",
    "mlp": "none",
    "moe": "none",
}
# transformers' Llama4TextConfig: every fourth layer is global and without rope when nothing else is said.
_LLAMA4_GLOBAL_INTERVAL = 4
_GEMMA3_GLOBAL_INTERVAL = 6

Kinds = tuple[AttentionLayer, ...] | None


def _every(kind: AttentionLayer, layers: int) -> tuple[AttentionLayer, ...]:
    return (kind,) * layers


def read_mla(text: Fields) -> Mla:
    """Read the dimensions of latent attention."""
    return Mla(
        q_lora_rank=text.positive("q_lora_rank"),
        kv_lora_rank=text.positive("kv_lora_rank"),
        qk_nope_head_dim=text.positive("qk_nope_head_dim"),
        qk_rope_head_dim=text.positive("qk_rope_head_dim"),
        v_head_dim=text.positive("v_head_dim"),
    )


def kv_heads(text: Fields) -> int | None:
    """Read the number of KV heads that the config states."""
    return text.positive(
        "num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num", "num_attention_groups"
    )


def kv_heads_of_blocks(text: Fields, heads: int | None) -> int | None:
    """Derive the KV heads of a pruned model from its first layer with attention.

    vLLM takes the same one: NemotronNasModelArchConfigConvertor.get_total_num_kv_heads.
    """
    for block in text.children("block_configs") or ():
        group = block.child("attention").positive("n_heads_in_group")
        if group and heads:
            return heads // group or None
    return None


def head_kind(heads: int | None, kv: int | None) -> AttentionKind | None:
    """Name the way query heads share KV heads."""
    if heads is None or kv is None:
        return None
    if kv == heads:
        return "mha"
    return "mqa" if kv == 1 else "gqa"


def sliding_window(text: Fields) -> int | None:
    """Read the window of the sliding layers in tokens; None when none is used."""
    if text.flag("use_sliding_window") is False:
        return None
    return text.positive("sliding_window", "sliding_window_size")


def from_layer_types(text: Fields, layers: int, linear: AttentionLayer | None = None) -> Kinds:
    """Read `layer_types`; None when it is absent, of another length, or has a word we don't know."""
    words = text.texts("layer_types")
    if words is None or len(words) != layers:
        return None
    names = _LAYER_TYPES | ({"linear_attention": linear} if linear else {})
    kinds = tuple(names[word] for word in words if word in names)
    return kinds if len(kinds) == layers else None


def all_full(_text: Fields, layers: int) -> Kinds:
    """Take every layer as full attention."""
    return _every("full", layers)


def all_mla(_text: Fields, layers: int) -> Kinds:
    """Take every layer as latent attention."""
    return _every("mla", layers)


def uniform_window(text: Fields, layers: int) -> Kinds:
    """Take every layer as sliding if a window is set (Mistral, Phi-3, StarCoder2)."""
    if "layer_types" in text:
        return from_layer_types(text, layers)
    return _every("sliding" if sliding_window(text) else "full", layers)


def upper_window(text: Fields, layers: int) -> Kinds:
    """Take the layers from `max_window_layers` on as sliding where the window is switched on (Qwen)."""
    if "layer_types" in text:
        return from_layer_types(text, layers)
    if text.flag("use_sliding_window") is not True or sliding_window(text) is None:
        return _every("full", layers)
    first = text.count("max_window_layers")
    return None if first is None else tuple("sliding" if i >= first else "full" for i in range(layers))


def listed(text: Fields, layers: int) -> Kinds:
    """Take `layer_types` and nothing else."""
    return from_layer_types(text, layers)


def alternating(text: Fields, layers: int) -> Kinds:
    """Alternate sliding and full, sliding first (transformers' Gemma2Config and GptOssConfig)."""
    if "layer_types" in text:
        return from_layer_types(text, layers)
    return tuple("full" if i % 2 else "sliding" for i in range(layers))


def gemma3(text: Fields, layers: int) -> Kinds:
    """Make every sixth layer full (transformers' Gemma3TextConfig), or as the pattern says."""
    if "layer_types" in text:
        return from_layer_types(text, layers)
    step = text.positive("sliding_window_pattern", "_sliding_window_pattern") or _GEMMA3_GLOBAL_INTERVAL
    return tuple("sliding" if (i + 1) % step else "full" for i in range(layers))


def llama4(text: Fields, layers: int) -> Kinds:
    """Make the layers with rope chunked, and those without it full."""
    if "layer_types" in text:
        return from_layer_types(text, layers)
    if text.positive("attention_chunk_size") is None:
        return _every("full", layers)
    rope = text.ints("no_rope_layers")
    if rope and len(rope) == layers:
        return tuple("chunked" if uses_rope else "full" for uses_rope in rope)
    step = text.positive("no_rope_layer_interval") or _LLAMA4_GLOBAL_INTERVAL
    return tuple("chunked" if (i + 1) % step else "full" for i in range(layers))


def mimo_v2(text: Fields, layers: int) -> Kinds:
    """Read `hybrid_layer_pattern`: 1 is a sliding layer, 0 a full one."""
    pattern = text.ints("hybrid_layer_pattern")
    if pattern is None or len(pattern) != layers:
        return from_layer_types(text, layers)
    return tuple("sliding" if slides else "full" for slides in pattern)


def gdn_hybrid(text: Fields, layers: int) -> Kinds:
    """Read Qwen's mixture of Gated DeltaNet and full attention; every n-th layer is full."""
    if "layer_types" in text:
        return from_layer_types(text, layers, linear="gdn")
    step = text.positive("full_attention_interval")
    return None if step is None else tuple("gdn" if (i + 1) % step else "full" for i in range(layers))


def kda_hybrid(text: Fields, layers: int) -> Kinds:
    """Read Kimi's mixture of KDA and latent attention; the lists count layers from 1."""
    kda = text.child("linear_attn_config").ints("kda_layers")
    full = text.child("linear_attn_config").ints("full_attn_layers")
    if kda is None and full is None:
        return None
    if kda is None:
        return tuple("mla" if i + 1 in set(full or ()) else "kda" for i in range(layers))
    return tuple("kda" if i + 1 in set(kda) else "mla" for i in range(layers))


def block_pattern(text: Fields, layers: int) -> Kinds:
    """Read Nemotron-H's one letter (or word) a layer; a layer is either a mixer or an MLP."""
    return listed_blocks(text, layers, _BLOCK_TYPES, _PATTERN)


def short_convolutions(text: Fields, layers: int) -> Kinds:
    """Read LFM2's mixture of short convolutions and full attention, listed either way."""
    if "layer_types" in text:
        return from_layer_types(text, layers)
    full = text.ints("full_attn_idxs")
    return None if full is None else tuple("full" if i in full else "conv" for i in range(layers))


def pruned_blocks(text: Fields, layers: int) -> Kinds:
    """Read the `block_configs` of a pruned model: attention may be missing from a layer."""
    blocks = text.children("block_configs")
    if blocks is None or len(blocks) != layers:
        return None
    return tuple("full" if b.child("attention").positive("n_heads_in_group") else "none" for b in blocks)
