"""`launchplan memory`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from launchplan.cli.exits import CLEAN, UNREADABLE
from launchplan.cli.inputs import examine, say_obstacles
from launchplan.cli.options import cluster_option, engine_facts_option, recipe_argument, set_option
from launchplan.cli.output import emit, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from launchplan.engines.budgets import PoolMemory


@click.command()
@recipe_argument
@cluster_option
@set_option
@click.option(
    "--measured",
    metavar="FILE",
    multiple=True,
    help="Figures that `launchplan observe --write` kept, one file a pool.",
)
@engine_facts_option
@click.option("--json", "as_json", is_flag=True, help="Print bytes, intervals and origins as JSON.")
def memory(
    recipe: str, cluster: str | None, settings: tuple[str, ...], measured: tuple[str, ...], *, as_json: bool
) -> int:
    """Draw what the fullest rank holds, and what its pool serves.

    Each term is an interval; its origin says whether it is exact, a formula, or calibrated on logs,
    or measured.
    """
    from launchplan.pipeline import budgets_of
    from launchplan.recipe import load_measured

    kept = [load_measured(Path(each)) for each in measured]
    outcome = examine(recipe, cluster, settings)
    if outcome.plan is None:
        say_obstacles(outcome)
        return outcome.code
    pools = budgets_of(outcome.plan, kept)
    known = {pool.view.pool.role for pool in pools}
    unknown = [pool.role for pool in outcome.plan.resolved.pools if pool.role not in known]
    emit(_report(pools, unknown, as_json=as_json))
    if outcome.code != CLEAN:
        say(f"there are errors: launchplan check {recipe}\n")
    return CLEAN if pools else UNREADABLE


def _report(pools: tuple[PoolMemory, ...], unknown: Sequence[str], *, as_json: bool) -> str:
    from launchplan.report.memory import memory_text
    from launchplan.report.memory_json import memory_json

    return memory_json(pools, unknown) if as_json else memory_text(pools, unknown)
