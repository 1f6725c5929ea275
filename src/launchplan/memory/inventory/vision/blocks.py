"""What the vision towers share: a transformer layer, and matrices that the tower's ranks split."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from launchplan.memory.inventory.blocks import Site, Tensors
from launchplan.memory.tensors import EVERYWHERE

if TYPE_CHECKING:
    from launchplan.memory.tensors import Holder, Kind, Split


def tower(prefix: str) -> Site:
    """Give the site of a tower's modules, which the first pipeline stage holds."""
    return Site(prefix, part="vision", place="first")


def encoder(site: Site, layers: int) -> Site:
    """Give the site of a tower's layers."""
    return replace(site, layers=tuple(range(layers)))


def linear(
    site: Site,
    name: str,
    shape: tuple[int, int],
    split: Split = "whole",
    *,
    bias: bool = True,
    kind: Kind = "vision",
) -> Tensors:
    """List a matrix of a tower."""
    return site.matrix(name, kind, shape, split, bias=bias)


def by_engine(tensors: Tensors, whole: Holder = "sglang", split: Split | None = None) -> Tensors:
    """List tensors that one engine holds whole on every rank and the other one splits."""
    others = EVERYWHERE - {whole}
    return tuple(replace(each, held_by=others, split=split or each.split) for each in tensors) + tuple(
        replace(each, held_by=frozenset({whole}), split="whole") for each in tensors
    )


def attention(site: Site, hidden: int, width: int, *, bias: bool, names: tuple[str, str]) -> Tensors:
    """List a fused query-key-value matrix and the output matrix."""
    fused, out = names
    return linear(site, fused, (3 * width, hidden), "rows", bias=bias) + linear(
        site, out, (hidden, width), "columns", bias=bias
    )


def feed_forward(site: Site, hidden: int, width: int, *, bias: bool, names: tuple[str, str]) -> Tensors:
    """List a feed-forward block without a gate."""
    up, down = names
    return linear(site, up, (width, hidden), "rows", bias=bias) + linear(
        site, down, (hidden, width), "columns", bias=bias
    )
