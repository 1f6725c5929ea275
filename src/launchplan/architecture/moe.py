"""Routed and shared experts, and which layer has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.architecture.block_lists import listed_blocks
from launchplan.architecture.types import LayerKind, MlpLayer, Moe

if TYPE_CHECKING:
    from launchplan.architecture.family import Family
    from launchplan.architecture.fields import Fields

_PATTERN: dict[str, MlpLayer] = {"M": "none", "*": "none", "-": "dense", "E": "moe"}
_BLOCK_TYPES: dict[str, MlpLayer] = {"mamba": "none", "attention": "none", "mlp": "dense", "moe": "moe"}
_MLP_TYPES: dict[str, MlpLayer] = {"dense": "dense", "sparse": "moe"}

Kinds = tuple[MlpLayer, ...] | None


def _every(kind: MlpLayer, layers: int) -> tuple[MlpLayer, ...]:
    return (kind,) * layers


def expert_count(text: Fields) -> int | None:
    """Read the number of routed experts in the order vLLM looks: model_arch_config_convertor.py."""
    return text.positive("num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts")


def read_moe(text: Fields, family: Family | None, layers: tuple[LayerKind, ...]) -> Moe | None:
    """Read the experts; None when there are none, or when no layer uses those the config mentions."""
    experts = expert_count(text)
    if experts is None or (layers and not any(layer.mlp == "moe" for layer in layers)):
        return None
    width = text.positive("moe_intermediate_size", "expert_intermediate_size")
    if family is not None and family.expert_width is not None:
        width = text.positive(family.expert_width)
    shared = _shared_experts(text, family)
    return Moe(
        num_experts=experts,
        experts_per_token=text.uniform(
            "num_experts_per_tok",
            "num_experts_per_token",
            "top_k_experts",
            "moe_topk",
            "moe_top_k",
            "experts_per_token",
        ),
        intermediate_size=width,
        shared_experts=shared,
        shared_intermediate_size=_shared_width(text, shared, width),
        num_groups=text.positive("n_group", "num_expert_group"),
        top_groups=text.positive("topk_group"),
        latent_size=text.positive("moe_latent_size", "routed_expert_hidden_size"),
    )


def _shared_experts(text: Fields, family: Family | None) -> int:
    stated = text.count("n_shared_experts", "num_shared_experts", "moe_num_shared_experts")
    if stated is not None:
        return stated
    if family is not None and family.one_shared_expert:
        return 1
    return 1 if text.positive("shared_expert_intermediate_size", "shared_intermediate_size") else 0


def _shared_width(text: Fields, shared: int, expert_width: int | None) -> int | None:
    if not shared:
        return None
    whole = text.positive("shared_expert_intermediate_size", "shared_intermediate_size", "share_expert_dim")
    each = text.positive("moe_shared_expert_intermediate_size") or expert_width
    return whole or (each * shared if each else None)


def all_dense(_text: Fields, layers: int) -> Kinds:
    """Take every layer as dense."""
    return _every("dense", layers)


def all_moe(text: Fields, layers: int) -> Kinds:
    """Take every layer as MoE if the config has experts, else as dense."""
    return _every("moe" if expert_count(text) else "dense", layers)


def gemma4(text: Fields, layers: int) -> Kinds:
    """Take every layer as MoE if the block is switched on; its dense MLP then runs beside the experts."""
    return _every("moe" if text.flag("enable_moe_block") and expert_count(text) else "dense", layers)


def sparse_step(text: Fields, layers: int) -> Kinds:
    """Make every n-th layer MoE save those listed as dense (Qwen).

    Absent keys mean 1 and none: vLLM reads them with these defaults (models/qwen3_moe.py).
    """
    if not expert_count(text):
        return _every("dense", layers)
    step = text.positive("decoder_sparse_step") or 1
    dense = frozenset(text.ints("mlp_only_layers") or ())
    return tuple("dense" if i in dense or (i + 1) % step else "moe" for i in range(layers))


def first_dense(text: Fields, layers: int) -> Kinds:
    """Make the first layers dense (DeepSeek, Kimi, GLM), or as a list by layer says.

    None when neither `first_k_dense_replace` nor such a list is there.
    """
    if not expert_count(text):
        return _every("dense", layers)
    words = text.texts("mlp_layer_types")
    if words is not None:
        kinds = tuple(_MLP_TYPES[word] for word in words if word in _MLP_TYPES)
        return kinds if len(kinds) == len(words) == layers else None
    flags = text.ints("moe_layer_freq")
    if flags is not None:
        return tuple("moe" if flag else "dense" for flag in flags) if len(flags) == layers else None
    first = text.count("first_k_dense_replace")
    if first is None:
        return None
    step = text.positive("moe_layer_freq") or 1
    return tuple("moe" if i >= first and i % step == 0 else "dense" for i in range(layers))


def upper_moe(text: Fields, layers: int) -> Kinds:
    """Make all but the first `num_dense_layers` MoE (LFM2)."""
    if not expert_count(text):
        return _every("dense", layers)
    first = text.count("num_dense_layers")
    return None if first is None else tuple("dense" if i < first else "moe" for i in range(layers))


def interleaved(text: Fields, layers: int) -> Kinds:
    """Make every n-th layer MoE, or those that are listed (Llama 4)."""
    if not expert_count(text):
        return _every("dense", layers)
    listed = text.ints("moe_layers")
    if listed:
        return tuple("moe" if i in set(listed) else "dense" for i in range(layers))
    step = text.positive("interleave_moe_layer_step")
    return None if step is None else tuple("dense" if (i + 1) % step else "moe" for i in range(layers))


def block_pattern(text: Fields, layers: int) -> Kinds:
    """Read Nemotron-H's one letter (or word) a layer."""
    return listed_blocks(text, layers, _BLOCK_TYPES, _PATTERN)


def pruned_blocks(text: Fields, layers: int) -> Kinds:
    """Read the `block_configs` of a pruned model: the MLP may be missing from a layer."""
    blocks = text.children("block_configs")
    if blocks is None or len(blocks) != layers:
        return None
    return tuple("dense" if block.child("ffn").number("ffn_mult") else "none" for block in blocks)
