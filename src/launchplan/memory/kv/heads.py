"""KV heads of each attention layer, as the families have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from launchplan.memory.inventory import gemma4, mimo_v2
from launchplan.memory.inventory.sizes import Sizes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from launchplan.architecture import Architecture, LayerKind


@dataclass(frozen=True, slots=True)
class CachedHeads:
    """What one layer caches of a token."""

    count: int
    size: int
    value_size: int

    def elements(self, ranks: int) -> int:
        """Give the elements on one of `ranks` ranks, which hold whole heads and at least one."""
        return max(1, self.count // ranks) * (self.size + self.value_size)


def cached_heads(model: Architecture, number: int) -> CachedHeads:
    """Read the KV heads of a layer; raises SizeMissingError when a size is unknown."""
    sizes, layer = Sizes(model), model.layers[number]
    if model.family in {"gemma4", "mimo_v2"}:
        return _of_kind(model, sizes, layer)
    if model.family == "nemotron_nas":
        group = model.lists["block_configs.attention.n_heads_in_group"][number]
        count = sizes.queries // group if isinstance(group, int) and group else sizes.keys
        return CachedHeads(count, sizes.head, sizes.head)
    return CachedHeads(sizes.keys, sizes.head, model.v_head_dim or sizes.head)


def layers_with_cache(model: Architecture, layers: Iterable[int]) -> tuple[int, ...]:
    """Leave out the last layers of a model that reuse the cache of earlier ones (Gemma 4 E2B and E4B)."""
    shared = model.dims.get("num_kv_shared_layers")
    first = len(model.layers) - shared if isinstance(shared, int) else len(model.layers)
    return tuple(number for number in layers if number < first)


def _of_kind(model: Architecture, sizes: Sizes, layer: LayerKind) -> CachedHeads:
    read = gemma4.attention_heads if model.family == "gemma4" else mimo_v2.attention_heads
    heads = read(sizes, "full" if layer.attention == "full" else "sliding")
    return CachedHeads(heads.keys, heads.size, heads.value_size)
