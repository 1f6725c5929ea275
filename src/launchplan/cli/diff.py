"""`launchplan diff`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from launchplan.cli.exits import CLEAN, ERRORS, UNREADABLE, RefusalError
from launchplan.cli.inputs import STDIN, examine, say_obstacles
from launchplan.cli.options import cluster_option, engine_facts_option
from launchplan.cli.output import emit

if TYPE_CHECKING:
    from launchplan.pipeline import Plan


@click.command()
@click.argument("before", metavar="A")
@click.argument("after", metavar="B", required=False)
@click.option(
    "--set", "settings", metavar="KEY=VALUE", multiple=True, help="Override a key of the second recipe."
)
@click.option("--engine", metavar="NAME", help="Engine of the second: vllm or sglang.")
@click.option("--engine-version", metavar="VERSION", help="Engine version of the second.")
@cluster_option
@engine_facts_option
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def diff(
    before: str,
    after: str | None,
    settings: tuple[str, ...],
    engine: str | None,
    engine_version: str | None,
    cluster: str | None,
    as_json: bool,
) -> int:
    """Print what changes from recipe A to recipe B, as flags and variables of each process.

    Without B, recipe A is compared with itself under --set, --engine and --engine-version. Exit codes are
    those of diff(1): 0 the same, 1 different, 2 unreadable. What the second engine refuses is listed last.
    """
    from launchplan.report.diff import diff_json, diff_text

    changed = (
        *settings,
        *([f"engine.name={engine}"] if engine else ()),
        *([f"engine.version={engine_version}"] if engine_version else ()),
    )
    if after is None and not changed:
        raise click.UsageError("name a second recipe, or what to change: --set, --engine or --engine-version")
    if before == STDIN and after in {STDIN, None}:
        raise click.UsageError("standard input can be read once: name one of the two as a file")
    first, second = _plan(before, cluster, ()), _plan(after or before, cluster, changed)
    if first is None or second is None:
        return UNREADABLE
    from launchplan.pipeline import comparison

    found = comparison(first, second)
    emit(diff_json(found) if as_json else diff_text(found))
    return CLEAN if found.same else ERRORS


def _plan(recipe: str, cluster: str | None, settings: tuple[str, ...]) -> Plan | None:
    outcome = examine(recipe, cluster, settings)
    if outcome.plan is None:
        say_obstacles(outcome)
        return None
    if outcome.plan.launch is None:
        say_obstacles(outcome)
        raise RefusalError(f"{recipe} has no layout to compare")
    return outcome.plan
