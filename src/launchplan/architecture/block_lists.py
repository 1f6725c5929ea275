"""Layers that a configuration names one by one, as Nemotron-H's does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from launchplan.architecture.fields import Fields


Kind = TypeVar("Kind")


def listed_blocks(
    text: Fields, layers: int, words: Mapping[str, Kind], letters: Mapping[str, Kind]
) -> tuple[Kind, ...] | None:
    """Read one word (`layers_block_type`) or one letter (`hybrid_override_pattern`) a layer.

    None where one of them has no meaning or their number is not that of the layers.
    """
    named = text.texts("layers_block_type")
    if named is not None:
        return _meant(named, words, layers)
    return _meant(text.text("hybrid_override_pattern") or "", letters, layers)


def _meant(names: Sequence[str], meanings: Mapping[str, Kind], layers: int) -> tuple[Kind, ...] | None:
    kinds = tuple(meanings[name] for name in names if name in meanings)
    return kinds if len(kinds) == len(names) == layers else None
