"""The caches of each layer of a model, as vLLM 0.33.0 makes them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil, lcm
from typing import TYPE_CHECKING

from launchplan.memory.inventory.sizes import SizeMissingError, Sizes
from launchplan.memory.kv.dtypes import cache_bytes
from launchplan.memory.kv.heads import CachedHeads, cached_heads, layers_with_cache
from launchplan.memory.kv.state import state_shape
from launchplan.memory.kv.vllm import deepseek_v4
from launchplan.memory.kv.vllm.types import Cache, CacheKind, VllmCacheSettings

if TYPE_CHECKING:
    from launchplan.architecture import Architecture

# Packed layouts of latent attention, bytes a token: layers/attention/mla_attention.py:1371.
_PACKED_LATENT = {"fp8_ds_mla": 656, "nvfp4_ds_mla": 352}
# Hybrids with latent attention align blocks to this: platforms/interface.py:1070.
_LATENT_ALIGNMENT = 128
# MiniMax-M3's indexer takes blocks of this size: models/minimax_m3/common/indexer.py:145.
_INDEXER_BLOCK = 128
_INDEXER_KEY_BYTES = 2
# A scale for so many 8-bit keys of a sparse indexer.
_SCALED_KEYS = 128
_SCALE_BYTES = 4
_KINDS: dict[str, CacheKind] = {"full": "full", "sliding": "sliding", "chunked": "chunked"}
_STATE_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}


def list_caches(model: Architecture, settings: VllmCacheSettings, layers: Iterable[int]) -> tuple[Cache, ...]:
    """List the caches of some layers and of the draft; raises SizeMissingError when a size is unknown."""
    numbers = tuple(layers)
    if model.family == "deepseek_v4":
        return deepseek_v4.list_caches(model, settings, numbers)
    element = cache_bytes(settings.cache_dtype, model)
    if element is None:
        raise SizeMissingError("cache_dtype")
    if model.is_hybrid:
        return _hybrid(model, settings, numbers, element)
    if model.is_mla:
        return _latent(model, settings, numbers, element)
    return _heads(model, settings, numbers, element)


def block_tokens(model: Architecture, settings: VllmCacheSettings) -> int:
    """Give the tokens of an attention block; a hybrid's is so large that its state fits in a page."""
    element = cache_bytes(settings.cache_dtype, model)
    if model.family == "deepseek_v4":
        return deepseek_v4.BLOCK
    if model.family == "minimax_m3":
        return _INDEXER_BLOCK
    if not model.is_hybrid or element is None:
        return settings.block_size
    return _aligned_block(
        model, settings, _token_bytes(model, settings, element), _state_bytes(model, settings)
    )


def _heads(
    model: Architecture, settings: VllmCacheSettings, layers: tuple[int, ...], element: Fraction
) -> tuple[Cache, ...]:
    tokens = block_tokens(model, settings)
    found: list[Cache] = []
    made: dict[tuple[str, CachedHeads], Cache] = {}
    for number in layers_with_cache(model, layers):
        kind = model.layers[number].attention
        if kind not in _KINDS:
            continue
        window = model.sliding_window or 0 if kind == "sliding" else 0
        if kind == "chunked":
            window = Sizes(model).integer("attention_chunk_size")
        heads = cached_heads(model, number)
        if (kind, heads) not in made:
            cell = heads.elements(settings.tp) * element
            made[kind, heads] = Cache(_KINDS[kind], tokens, cell, window=window)
        found.append(made[kind, heads])
    found += _sparse_keys(model, layers)
    return tuple(found) + _draft(model, settings, tokens, element)


def _sparse_keys(model: Architecture, layers: tuple[int, ...]) -> list[Cache]:
    """List the keys of MiniMax-M3's indexer, which stay in 16 bits."""
    flags = model.lists.get("sparse_attention_config.sparse_attention_freq", ())
    size = model.dims.get("sparse_attention_config.sparse_index_dim")
    if model.family != "minimax_m3" or not isinstance(size, int):
        return []
    cell = Fraction(size * _INDEXER_KEY_BYTES)
    return [Cache("latent", _INDEXER_BLOCK, cell) for number in layers if flags[number]]


def _draft(
    model: Architecture, settings: VllmCacheSettings, tokens: int, element: Fraction
) -> tuple[Cache, ...]:
    """List the draft's layers, which are made like the last full layer of the model."""
    full = [number for number, layer in enumerate(model.layers) if layer.attention == "full"]
    if not settings.draft_layers or not full:
        return ()
    cell = cached_heads(model, full[-1]).elements(settings.tp) * element
    return (Cache("full", tokens, cell),) * settings.draft_layers


def _latent(
    model: Architecture, settings: VllmCacheSettings, layers: tuple[int, ...], element: Fraction
) -> tuple[Cache, ...]:
    numbers = (*layers, *range(len(model.layers), len(model.layers) + settings.draft_layers))
    main = Cache("latent", settings.block_size, _token_bytes(model, settings, element))
    if not model.sparse_indexer:
        return (main,) * len(numbers)
    size = Sizes(model).integer("index_head_dim")
    keys = Cache("latent", settings.block_size, Fraction(size + size // _SCALED_KEYS * _SCALE_BYTES))
    kinds = model.lists.get("indexer_types", ())
    indexed = [number for number in numbers if number >= len(kinds) or kinds[number] == "full"]
    return (main,) * len(numbers) + (keys,) * len(indexed)


def _hybrid(
    model: Architecture, settings: VllmCacheSettings, layers: tuple[int, ...], element: Fraction
) -> tuple[Cache, ...]:
    token, state = _token_bytes(model, settings, element), _state_bytes(model, settings)
    tokens = _aligned_block(model, settings, token, state)
    attention = Cache("latent" if model.is_mla else "full", tokens, token)
    recurrent = Cache("state", tokens, Fraction(state), padded_bytes=attention.page_bytes)
    found: list[Cache] = []
    for number in layers:
        kind = model.layers[number].attention
        if kind in {"full", "mla"}:
            found.append(attention)
        elif kind != "none":
            found.append(recurrent)
    return tuple(found) + (attention,) * settings.draft_layers


def _token_bytes(model: Architecture, settings: VllmCacheSettings, element: Fraction) -> Fraction:
    """Give the bytes of a token in one full attention layer."""
    if model.is_mla:
        packed = _PACKED_LATENT.get(settings.cache_dtype)
        sizes = Sizes(model)
        plain = (sizes.integer("kv_lora_rank") + sizes.integer("qk_rope_head_dim")) * element
        return plain if packed is None else Fraction(packed)
    full = next((n for n, layer in enumerate(model.layers) if layer.attention == "full"), None)
    if full is None:
        raise SizeMissingError("layers")
    return cached_heads(model, full).elements(settings.tp) * element


def _state_bytes(model: Architecture, settings: VllmCacheSettings) -> int:
    linear = model.linear_attention
    shape = state_shape(linear, settings.tp) if linear else None
    if linear is None or shape is None:
        raise SizeMissingError("linear_attention")
    # KDA and Mamba2 keep their state in 32 bits unless told otherwise, GDN in the model's dtype.
    usual = "bfloat16" if linear.kind == "gdn" else "float32"
    dtype = settings.state_dtype or linear.state_dtype or usual
    return shape.bytes(_STATE_BYTES.get(dtype, _STATE_BYTES["float32"]), settings.speculative_tokens)


def _aligned_block(model: Architecture, settings: VllmCacheSettings, token: Fraction, state: int) -> int:
    """Choose the block as platforms/interface.py:940 does (_align_hybrid_block_size)."""
    step = max(settings.kernel_block, settings.block_size)
    if model.is_mla:
        step = max(step, _LATENT_ALIGNMENT)
    if settings.cache_mode == "align":
        step = lcm(step, settings.state_alignment)
    needed = step * ceil(state / (step * token))
    return max(settings.block_size, ceil(needed / settings.kernel_block) * settings.kernel_block)
