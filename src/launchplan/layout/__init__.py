"""Which rank sits on which GPU of which node, and what its groups cross."""

from launchplan.layout.build import layout_problem, place
from launchplan.layout.types import GroupKind, Layout, Link, PoolLayout, Rank

__all__ = ["GroupKind", "Layout", "Link", "PoolLayout", "Rank", "layout_problem", "place"]
