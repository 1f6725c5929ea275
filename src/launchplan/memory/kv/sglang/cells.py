"""Bytes that a token takes in SGLang's KV pool: SGLang 0.5.23 model_executor/pool_configurator.py."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from launchplan.memory.inventory.sizes import SizeMissingError, Sizes
from launchplan.memory.kv.dtypes import cache_bytes
from launchplan.memory.kv.heads import cached_heads, layers_with_cache
from launchplan.memory.kv.sglang import deepseek_v4
from launchplan.memory.kv.sglang.types import Cell, SglangPoolSettings

if TYPE_CHECKING:
    from launchplan.architecture import Architecture

# fp8 latents keep a 32-bit scale for so many elements, and their rotated part in 16 bits: :3412.
_SCALED_LATENTS = 128
_SCALE_BYTES = 4
_ROTATED_BYTES = 2


def token_cell(model: Architecture, settings: SglangPoolSettings, layers: tuple[int, ...]) -> Cell:
    """Give what a token takes over some layers; raises SizeMissingError when a size is unknown."""
    element = cache_bytes(settings.cache_dtype, model)
    if element is None:
        raise SizeMissingError("cache_dtype")
    if model.family == "deepseek_v4":
        return deepseek_v4.token_cell(model, settings, layers)
    if model.is_mla:
        return Cell(_latent(model, settings, layers, element))
    layers = layers_with_cache(model, layers)
    windowed = tuple(n for n in layers if model.layers[n].attention in {"sliding", "chunked"})
    full = tuple(n for n in layers if model.layers[n].attention == "full")
    draft = full[-1:] * settings.draft_layers
    whole = sum((_heads(model, settings, number, element) for number in full + draft), Fraction(0))
    whole += _sparse_keys(model, layers)
    if not windowed or model.family == "llama4":
        # Chunked attention has no pool of its own.
        return Cell(whole + sum((_heads(model, settings, n, element) for n in windowed), Fraction(0)))
    window = sum((_heads(model, settings, number, element) for number in windowed), Fraction(0))
    return Cell(whole, window, settings.window_ratio)


def _heads(model: Architecture, settings: SglangPoolSettings, number: int, element: Fraction) -> Fraction:
    ranks = max(1, settings.attention_tp // settings.dcp)
    return cached_heads(model, number).elements(ranks) * element


def _latent(
    model: Architecture, settings: SglangPoolSettings, layers: tuple[int, ...], element: Fraction
) -> Fraction:
    sizes = Sizes(model)
    rank, rotated = sizes.integer("kv_lora_rank"), sizes.integer("qk_rope_head_dim")
    token = (rank + rotated) * element
    if model.sparse_indexer and element == 1 and settings.packed_latent:
        token = Fraction(rank + rank // _SCALED_LATENTS * _SCALE_BYTES + rotated * _ROTATED_BYTES)
    held = [number for number in layers if model.layers[number].attention == "mla"]
    latents = token * (len(held) + settings.draft_layers)
    if not model.sparse_indexer:
        return latents
    size = sizes.integer("index_head_dim")
    kinds = model.lists.get("indexer_types", ())
    indexed = sum(not kinds or kinds[number] == "full" for number in held) + settings.draft_layers
    # Each rank of a context keeps all keys of the indexer, though only its part of the latents.
    return latents + indexed * (size + size // _SCALED_LATENTS * _SCALE_BYTES) * settings.dcp


def _sparse_keys(model: Architecture, layers: tuple[int, ...]) -> Fraction:
    """Count the keys of MiniMax-M3's indexer."""
    flags = model.lists.get("sparse_attention_config.sparse_attention_freq", ())
    size = model.dims.get("sparse_attention_config.sparse_index_dim")
    if model.family != "minimax_m3" or not isinstance(size, int):
        return Fraction(0)
    return Fraction(sum(bool(flags[number]) for number in layers) * size * _ROTATED_BYTES)
