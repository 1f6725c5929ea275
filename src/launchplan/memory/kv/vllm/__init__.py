"""vLLM's KV cache: pages of layers, groups, blocks, and how many requests they serve."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from launchplan.memory.inventory.sizes import SizeMissingError
from launchplan.memory.kv.vllm.caches import block_tokens, list_caches
from launchplan.memory.kv.vllm.grouping import group_caches
from launchplan.memory.kv.vllm.types import Cache, CachePlan, Group, VllmCacheSettings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from launchplan.architecture import Architecture

__all__ = ["Cache", "CachePlan", "Group", "VllmCacheSettings", "plan_cache", "planned"]

# Layouts of these families put the block outermost, so that groups are packed.
_PACKED = frozenset({"deepseek_v4"})


def plan_cache(
    model: Architecture, settings: VllmCacheSettings, layers: Iterable[int] | None = None
) -> CachePlan | None:
    """Plan the KV cache of a rank that holds some layers, all by default; None when a size is unknown."""
    return planned(model, settings, tuple(range(len(model.layers)) if layers is None else layers))


@lru_cache(maxsize=4096)
def planned(model: Architecture, settings: VllmCacheSettings, numbers: tuple[int, ...]) -> CachePlan | None:
    """Plan the cache of these layers; remembered, since a search asks for the same layers again and again."""
    try:
        caches = list_caches(model, settings, numbers)
        tokens = block_tokens(model, settings)
    except SizeMissingError:
        return None
    groups = group_caches(caches, packed=model.family in _PACKED)
    return CachePlan(settings, caches, groups, tokens)
