"""The speed bound and the cold start of a pool, as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from launchplan.engines.budgets import instances_through_restart
from launchplan.units import bytes_text, duration_text, plural, storage_text

if TYPE_CHECKING:
    from launchplan.engines.budgets import PoolMemory
    from launchplan.memory.cold_start import ColdStart

_ORIGINS = {"cluster": "cluster file", "documented": "from the recipe's evidence"}


def bound_lines(pool: PoolMemory) -> Iterator[str]:
    """Print what no run can exceed."""
    bound = pool.bound
    if bound is None:
        return
    yield (
        f"bound, not a forecast: no more than {bound.tokens_per_s_per_user:,.0f} tokens/s for one user,"
        f" the cache left out, {bound.tokens_per_s:,.0f} in all for"
        f" {plural(bound.batch, 'request')} at once, the cache included:"
        f" {bytes_text(bound.active_bytes)} a token through memory bandwidth"
    )


def start_lines(pool: PoolMemory) -> Iterator[str]:
    """Print how long a start takes, or what it needs to be known."""
    start = pool.start
    if start is None:
        return
    yield f"cold start: {_load(start)}"
    whole = start.total_s
    if whole is not None:
        what = "the load path" if start.bottleneck == "loading" else "start and graph capture"
        yield (
            f"  {whole.value / 60:.1f} min in all ({whole.low / 60:.1f} to {whole.high / 60:.1f}):"
            f" {what} is the bottleneck"
        )
    needed, workload = instances_through_restart(pool), pool.view.pool.deployment.recipe.value.workload
    if needed is not None:
        yield f"  {plural(needed, 'instance')} to serve {workload.concurrency} through one restart"


def _load(start: ColdStart) -> str:
    read = f"{storage_text(start.node_bytes)} a node"
    if start.load_s is None or start.gigabytes_per_s is None:
        at_one = duration_text(start.node_bytes / 1e9)
        return f"{read}, {at_one} at 1 GB/s; the cluster file's storage.read_gigabytes_per_s tells"
    rate = f"{start.gigabytes_per_s:.1f} GB/s ({_ORIGINS[start.rate_origin]})"
    return f"{read} at {rate} in {duration_text(start.load_s)}"
