"""Where a finding points when the key that it is about is left out."""

from __future__ import annotations

from launchplan.finding import KeyPath
from launchplan.resolve import ResolvedPool


def stands(pool: ResolvedPool, path: KeyPath) -> bool:
    """Tell whether a key path is written in the recipe."""
    value = pool.deployment.recipe.document.data
    for part in path:
        value = value.get(part) if isinstance(value, dict) else None
    return value is not None


def hardware_key(pool: ResolvedPool, key: str) -> KeyPath:
    """Give the place of a key of `hardware`: the pool's own, else the recipe's."""
    own = pool.path("hardware", key)
    return own if stands(pool, own) else ("hardware", key)


def layout_section(pool: ResolvedPool) -> KeyPath:
    """Give the pool's `parallel`; where it is left out, the `hardware` that it would have to fill."""
    for path in (pool.path("parallel"), pool.path("hardware")):
        if stands(pool, path):
            return path
    return ("hardware",)


def checkpoint_key(pool: ResolvedPool) -> KeyPath:
    """Give `checkpoint`; where it is left out, `model`, whose own checkpoint is loaded."""
    return ("checkpoint",) if pool.deployment.recipe.value.checkpoint else ("model",)
