"""Bytes of the parameters of one rank, by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING

from launchplan.memory.formats import UNQUANTIZED, Storage, Stored, store
from launchplan.memory.loading import EXACT, ExpertKernel, loaded_bytes

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.memory.shares import Shares, Stage
    from launchplan.memory.tensors import Holder, Kind, Tensor, TensorClass

# Both engines pad the vocabulary to a multiple of this before they split it.
_VOCABULARY_STEP = 64
# Kinds that a cut treats in its own way even where ranks don't share them.
_CUT_BY_KIND = frozenset({"experts", "shared_experts", "router"})


@dataclass(frozen=True, slots=True)
class RankWeights:
    """The parameters of one rank as the engine allocates them."""

    by_class: Mapping[TensorClass, int]
    uncertain: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """Bytes of all classes."""
        return sum(self.by_class.values())


@dataclass(frozen=True, slots=True)
class Cut:
    """All that decides what a rank holds."""

    engine: Holder
    shares: Shares
    stage: Stage
    kernel: ExpertKernel = EXACT
    shared_kernel: ExpertKernel = EXACT
    router_width: int | None = None
    """Bytes of an element of the routers where the engine does not take the model's dtype."""
    online: Storage | None = None
    """The format that the engine itself gives to linear layers which are stored in 16 bits."""
    online_experts: Storage | None = None
    """The format that the engine itself gives to experts which are stored in 8 or 16 bits."""
    ignores_formats: bool = False
    """The engine does not see that the checkpoint is quantized, and makes 16-bit parameters."""
    everywhere: frozenset[Kind] = frozenset()
    """Kinds that every pipeline stage makes, though only one of them uses it."""
    buffer_bytes: int = 0
    """What the engine keeps besides parameters: tables of rotary positions."""
    mtp: bool = False
    """The prediction layers are loaded."""
    vision: bool = True


@lru_cache(maxsize=4096)
def rank_weights(model: Architecture, cut: Cut) -> RankWeights | None:
    """Compute the parameters of a rank; None when the model's sizes are not all known."""
    stored = store(model)
    if stored.missing:
        return None
    by_class: dict[TensorClass, int] = {}
    held = _Held(cut)
    for each in _made(model, cut.engine):
        if (times := held.times(each)) and (amount := _bytes(each, cut, times)):
            name = each.tensor.tensor_class
            by_class[name] = by_class.get(name, 0) + amount
    if cut.buffer_bytes:
        by_class["buffers"] = cut.buffer_bytes
    return RankWeights(MappingProxyType(by_class), stored.uncertain)


@lru_cache(maxsize=512)
def _made(model: Architecture, engine: Holder) -> tuple[Stored, ...]:
    """List what an engine makes; what every rank holds whole and unquantized is one entry a kind of layer."""
    alike: dict[tuple[object, ...], Stored] = {}
    others: list[Stored] = []
    for each in store(model).tensors:
        tensor = each.tensor
        if engine not in tensor.held_by:
            continue
        plain = each.storage == UNQUANTIZED and not tensor.quantizable and tensor.split == "whole"
        if not plain or tensor.kind in _CUT_BY_KIND:
            others.append(each)
            continue
        key = (tensor.kind, tensor.part, tensor.place, tensor.loaded_width, tensor.copies, id(each.layers))
        before = alike[key].tensor.rows if key in alike else 0
        whole = replace(tensor, rows=before + tensor.rows * tensor.columns, columns=1)
        alike[key] = Stored(whole, each.storage, each.layers)
    return (*others, *alike.values())


class _Held:
    """How often a rank's stage holds each tensor."""

    def __init__(self, cut: Cut) -> None:
        self._cut = cut
        self._stage = cut.stage
        self._everywhere = replace(cut.stage, first=True, last=True)
        # Tensors of the same layers share one tuple, which is quicker to tell apart than its numbers.
        self._layers: dict[int, int] = {}

    def times(self, stored: Stored) -> int:
        tensor, cut, layers = stored.tensor, self._cut, stored.layers
        if tensor.part == "mtp" and not cut.mtp:
            return 0
        if tensor.part == "vision" and not cut.vision:
            return 0
        if layers is None or tensor.part == "vision":
            everywhere = tensor.kind in cut.everywhere and tensor.part != "mtp"
            return (self._everywhere if everywhere else self._stage).layers_of(layers, tensor)
        if id(layers) not in self._layers:
            self._layers[id(layers)] = self._stage.layers_of(layers, tensor)
        return self._layers[id(layers)]


def _bytes(stored: Stored, cut: Cut, times: int) -> int:
    tensor = stored.tensor
    rows, columns = _local_shape(tensor, cut)
    extra = 0
    storage, copies = _made_storage(stored, cut), tensor.copies
    if tensor.kind == "experts":
        copies = cut.shares.experts_of_rank(copies)
        rows, columns, storage = cut.kernel.fit(tensor, storage, rows, columns)
        extra = cut.kernel.extra_bytes(tensor, storage, rows, columns)
    elif tensor.kind == "shared_experts" and tensor.split != "whole":
        rows, columns, storage = cut.shared_kernel.fit(tensor, storage, rows, columns)
    width = cut.router_width if cut.router_width and tensor.kind == "router" else tensor.loaded_width
    each = loaded_bytes(storage, rows, columns, width or 2)
    return round((each + extra) * copies * times)


def _made_storage(stored: Stored, cut: Cut) -> Storage:
    """Say in which format the engine makes a tensor."""
    tensor, storage = stored.tensor, stored.storage
    if cut.ignores_formats:
        return UNQUANTIZED
    if not tensor.quantizable or tensor.kind == "lm_head" or tensor.part == "vision":
        return storage
    if tensor.kind == "experts":
        return cut.online_experts or storage
    return cut.online if cut.online is not None and storage == UNQUANTIZED else storage


def _local_shape(tensor: Tensor, cut: Cut) -> tuple[int, int]:
    """Give rows and columns of a rank's part."""
    parts = cut.shares.of(tensor.kind)
    rows, columns = tensor.rows, tensor.columns
    if tensor.split == "vocabulary":
        return ceil(ceil(rows / _VOCABULARY_STEP) * _VOCABULARY_STEP / parts), columns
    if tensor.split == "heads":
        return rows // tensor.heads * max(1, ceil(tensor.heads / parts)), columns
    if tensor.split == "rows":
        rows = ceil(rows / parts)
    elif tensor.split == "columns":
        columns = ceil(columns / parts)
    return rows, columns
