"""Which groups of a layout cross the network."""

from __future__ import annotations

from launchplan.layout import PoolLayout
from launchplan.rules.widths import expert_parallel


def spread_experts(layout: PoolLayout) -> str | None:
    """Name the size, `ep` or `dp`, by which experts are shared across nodes outside an NVLink domain."""
    pool = layout.pool
    model = pool.architecture
    if pool.nodes == 1 or model is None or not model.is_moe:
        return None
    if pool.parallel.ep > 1 and layout.link("ep") == "network":
        return "ep"
    # Without expert parallelism experts are cut over tp x dp; with it they are spread over the same ranks.
    shares = pool.parallel.dp > 1 or expert_parallel(pool) > 1
    stage_crosses = any(len(layout.nodes_of(group)) > 1 for group in layout.groups["dp"])
    return "dp" if shares and stage_crosses and layout.link("dp") == "network" else None
