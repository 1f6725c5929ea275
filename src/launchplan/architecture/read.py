"""From a `config.json` mapping to an `Architecture`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from launchplan.architecture import attention
from launchplan.architecture.context import derived_max_model_len, read_rope
from launchplan.architecture.families import find_family
from launchplan.architecture.family import Family
from launchplan.architecture.fields import Fields, lists, scalars
from launchplan.architecture.linear_attention import read_linear_attention
from launchplan.architecture.moe import read_moe
from launchplan.architecture.quantization import read_quantization
from launchplan.architecture.types import LINEAR_KINDS, Architecture, LayerKind
from launchplan.architecture.unknown import open_fields
from launchplan.architecture.vision import read_vision

if TYPE_CHECKING:
    from collections.abc import Mapping

    from launchplan.architecture.types import AttentionKind, LinearAttention

_TEXT_KEYS = ("thinker_config", "text_config", "llm_config", "language_config")
_MAX_NESTING = 4
# Far above any model; keeps a nonsense config from filling the memory with layers.
_MAX_LAYERS = 4096
_NOT_DIMENSIONS = frozenset(
    {*_TEXT_KEYS, "quantization_config", "compression_config", "auto_map", "id2label", "label2id"}
)


@dataclass(frozen=True, slots=True)
class _Source:
    """The levels of a config, outermost first, and the family that says what its keys mean."""

    levels: tuple[Fields, ...]
    classes: tuple[str, ...]
    family: Family | None

    @property
    def top(self) -> Fields:
        return self.levels[0]

    @property
    def text(self) -> Fields:
        return self.levels[-1]


def read_architecture(
    config: Mapping[str, object], hf_quant_config: Mapping[str, object] | None = None
) -> Architecture:
    """Read what a Hugging Face config says; what it does not say is None, and named in `unknown`.

    `config` is the parsed `config.json`, `hf_quant_config` the file of that name which ModelOpt writes
    next to it. Never raises: a value of the wrong type counts as absent.
    """
    levels = _levels(Fields(config))
    top, text = levels[0], levels[-1]
    classes = top.texts("architectures") or ()
    text_classes = text.texts("architectures") or ()
    family = find_family(classes, text_classes, text.text("model_type"), nested=len(levels) > 1)
    read = _architecture(_Source(levels, classes, family), Fields(hf_quant_config or {}))
    return replace(read, unknown=open_fields(read))


def _levels(top: Fields) -> tuple[Fields, ...]:
    levels = [top]
    while len(levels) <= _MAX_NESTING and (inner := levels[-1].child(*_TEXT_KEYS)).raw:
        levels.append(inner)
    return tuple(levels)


def _architecture(source: _Source, hf_quant: Fields) -> Architecture:
    top, text, family = source.top, source.text, source.family
    heads = text.positive("num_attention_heads", "n_head", "n_heads")
    kv_heads = _kv_heads(text, family, heads)
    head_dim = _head_dim(text, family, heads)
    layers = _layers(text, family)
    model_type = top.text("model_type")
    return Architecture(
        architectures=source.classes,
        model_type=model_type,
        text_model_type=text.text("model_type"),
        family=family.name if family else None,
        hidden_size=text.positive("hidden_size", "n_embd", "d_model"),
        num_hidden_layers=_layer_count(text),
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        head_dim=head_dim,
        v_head_dim=text.positive("v_head_dim") or head_dim,
        vocab_size=text.positive("vocab_size"),
        intermediate_size=text.positive("intermediate_size", "n_inner"),
        dense_intermediate_size=_dense_width(text, family, layers),
        tie_word_embeddings=_tied(source),
        dtype=text.text("dtype", "torch_dtype") or top.text("dtype", "torch_dtype"),
        max_position_embeddings=text.positive("max_position_embeddings"),
        rope=read_rope(text),
        derived_max_model_len=derived_max_model_len(text, model_type),
        sliding_window=attention.sliding_window(text),
        attention_kind=_attention_kind(family, heads, kv_heads),
        sparse_indexer=text.positive("index_topk") is not None,
        mla=attention.read_mla(text) if family and family.mla else None,
        layers=layers,
        moe=read_moe(text, family, layers),
        linear_attention=_linear(text, family, layers),
        mtp_layers=text.count("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"),
        is_multimodal=_is_multimodal(source),
        vision=read_vision(source.levels),
        quantization=read_quantization(source.levels, hf_quant),
        dims=MappingProxyType(_dims(source)),
        lists=MappingProxyType(_lists(source)),
    )


def _layer_count(text: Fields) -> int | None:
    count = text.positive("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    if count is None:
        count = len(text.texts("layers_block_type") or text.text("hybrid_override_pattern") or "") or None
    return count if count is None or count <= _MAX_LAYERS else None


def _kv_heads(text: Fields, family: Family | None, heads: int | None) -> int | None:
    """Read the KV heads; in a known family, absent means as many as query heads."""
    stated = attention.kv_heads(text)
    if stated is not None or family is None:
        return stated
    return attention.kv_heads_of_blocks(text, heads) if "block_configs" in text else heads


def _head_dim(text: Fields, family: Family | None, heads: int | None) -> int | None:
    """Read the head size; in a known family without latent attention, absent means hidden / heads."""
    stated = text.positive("head_dim", "attention_head_dim")
    hidden = text.positive("hidden_size", "n_embd", "d_model")
    if stated is not None or family is None or family.mla or not heads or not hidden:
        return stated
    return hidden // heads or None


def _layers(text: Fields, family: Family | None) -> tuple[LayerKind, ...]:
    count = _layer_count(text)
    if family is None or count is None:
        return ()
    mixers, mlps = family.attention(text, count), family.mlp(text, count)
    if mixers is None or mlps is None:
        return ()
    return tuple(LayerKind(mixer, mlp) for mixer, mlp in zip(mixers, mlps, strict=True))


def _dense_width(text: Fields, family: Family | None, layers: tuple[LayerKind, ...]) -> int | None:
    if family is None or family.dense_width is None:
        return None
    dense = family.dense_beside_experts or any(layer.mlp == "dense" for layer in layers)
    return text.positive(family.dense_width) if dense else None


def _tied(source: _Source) -> bool | None:
    """Read whether the output layer is the embedding; the outermost config that says so decides."""
    for level in source.levels:
        if (tied := level.flag("tie_word_embeddings")) is not None:
            return tied
    return None


def _attention_kind(family: Family | None, heads: int | None, kv_heads: int | None) -> AttentionKind | None:
    if family is None:
        return None
    return "mla" if family.mla else attention.head_kind(heads, kv_heads)


def _linear(text: Fields, family: Family | None, layers: tuple[LayerKind, ...]) -> LinearAttention | None:
    if family is None or family.linear is None:
        return None
    if layers and not any(layer.attention in LINEAR_KINDS for layer in layers):
        return None
    return read_linear_attention(text, family.linear)


def _is_multimodal(source: _Source) -> bool:
    towers = ("vision_config", "audio_config")
    if any(level.child(name).raw for level in source.levels for name in towers):
        return True
    # Llama 4 configs may leave the tower to the class's defaults.
    return source.family is not None and any(n.endswith("ForConditionalGeneration") for n in source.classes)


def _outer(level: Fields) -> dict[str, object]:
    return {name: value for name, value in level.raw.items() if name not in _NOT_DIMENSIONS}


def _dims(source: _Source) -> dict[str, int | float | bool | str | None]:
    found: dict[str, int | float | bool | str | None] = {}
    for level in source.levels:
        found |= scalars(_outer(level))
    return found


def _lists(source: _Source) -> dict[str, tuple[int | float | bool | str | None, ...]]:
    found: dict[str, tuple[int | float | bool | str | None, ...]] = {}
    for level in source.levels:
        found |= lists(_outer(level))
    return found
