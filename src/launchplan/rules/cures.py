"""The smallest change that mends a layout, worded."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from launchplan.resolve import ResolvedPool
from launchplan.rules.splits import working_sizes
from launchplan.units import choice_text, divisors

LARGEST_TP = 128
LARGEST_SIZE = 4096
"""Above this no size is proposed; a recipe may name a billion."""
Fits = Callable[[int], bool]


def tp_cure(pool: ResolvedPool, also: Fits = lambda _size: True) -> str | None:
    """Name the nearest tensor parallel sizes that work, and a layout for as many GPUs: the smallest cure.

    `also` is what a size must fulfil besides splitting every known part of the model.
    """
    sizes, tp = working_tp(pool, also), pool.parallel.tp
    below, above = [size for size in sizes if size < tp], [size for size in sizes if size > tp]
    near = below[-1:] + above[:1]
    words = [f"use {choice_text(near)}"] if near else []
    stages = staged(pool, sizes)
    if stages is not None:
        words.append(f"tp {stages[0]} x pp {stages[1]} for {stages[0] * stages[1]} GPUs")
    return ", or ".join(words) or None


def working_tp(pool: ResolvedPool, also: Fits = lambda _size: True) -> tuple[int, ...]:
    """List the tensor parallel sizes that split every known part of the model, rising."""
    model = pool.architecture
    if model is None:
        return ()
    return tuple(size for size in working_sizes(pool, model, LARGEST_TP) if also(size))


def staged(pool: ResolvedPool, sizes: Iterable[int]) -> tuple[int, int] | None:
    """Find the largest smaller tp that fills the same GPUs with pipeline stages, as (tp, pp)."""
    model = pool.architecture
    layers = model.num_hidden_layers if model else None
    ranks = pool.parallel.tp * pool.parallel.pp
    fitting = [size for size in sizes if 1 < size < pool.parallel.tp and ranks % size == 0
               and layers is not None and ranks // size <= layers]  # fmt: skip
    return (max(fitting), ranks // max(fitting)) if fitting else None


def divisor_cure(key: str, size: int, number: int, limit: int) -> str:
    """Name the nearest divisors of a number on both sides of a size: `use ep 4 or 8`."""
    fitting = divisors(number, min(limit, LARGEST_SIZE))
    below = max((value for value in fitting if value < size), default=None)
    above = min((value for value in fitting if value > size), default=None)
    near = [value for value in (below, above) if value is not None]
    return f"use {key} {choice_text(near)}" if near else f"leave {key} out"
