"""`launchplan show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from launchplan.cli.exits import CLEAN
from launchplan.cli.inputs import examine, say_obstacles
from launchplan.cli.options import cluster_option, engine_facts_option, recipe_argument, set_option
from launchplan.cli.output import emit, say

if TYPE_CHECKING:
    from launchplan.engines import Launch, Process
    from launchplan.pipeline import Plan


@click.command()
@recipe_argument
@cluster_option
@set_option
@engine_facts_option
@click.option(
    "--origins", is_flag=True, help="Print the values that the recipe leaves out, and where they come from."
)
@click.option("--env", is_flag=True, help="Print the environment before each command.")
@click.option("--json", "as_json", is_flag=True, help="Print argument vectors and environments as JSON.")
@click.option("--wrap", is_flag=True, help="Put each flag on its own line.")
@click.option("--node", metavar="NAME", help="Print one process only, such as node-1, prefill-0 or router.")
def show(
    recipe: str,
    cluster: str | None,
    settings: tuple[str, ...],
    origins: bool,
    env: bool,
    as_json: bool,
    wrap: bool,
    node: str | None,
) -> int:
    """Print a recipe's commands, ready to copy.

    One command a process, the head's first. A value that only the site knows stands as "$HEAD_ADDR": set it
    in the shell, or name a cluster file.
    """
    outcome = examine(recipe, cluster, settings)
    if outcome.plan is None:
        say_obstacles(outcome)
        return outcome.code
    if origins:
        emit(_origins_table(outcome.plan))
        return CLEAN
    launch = outcome.plan.launch
    if outcome.code != CLEAN:
        say_obstacles(outcome)
    if launch is None:
        return outcome.code
    # Errors don't hide what would be run: whoever asks wants to see it, and the exit code says the rest.
    emit(_commands(launch, _chosen(launch, node), env=env, as_json=as_json, wrap=wrap))
    if any(finding.severity.word == "warning" for finding in outcome.checked.findings):
        say(f"there are warnings: launchplan check {recipe}\n")
    return outcome.code


def _commands(launch: Launch, processes: tuple[Process, ...], *, env: bool, as_json: bool, wrap: bool) -> str:
    from launchplan.report.commands import commands_json, commands_text

    return (
        commands_json(launch, processes) if as_json else commands_text(launch, processes, env=env, wrap=wrap)
    )


def _chosen(launch: Launch, node: str | None) -> tuple[Process, ...]:
    if node is None:
        return launch.processes
    name = f"node-{node}" if node.isdigit() else node
    chosen = tuple(process for process in launch.processes if process.name == name)
    if not chosen:
        names = ", ".join(process.name for process in launch.processes)
        raise click.BadParameter(f"no process is called {node}; there are {names}", param_hint="--node")
    return chosen


def _origins_table(plan: Plan) -> str:
    from launchplan.engines.origins import engine_origins
    from launchplan.report.tables import table
    from launchplan.resolve import origins

    found = (*origins(plan.resolved), *engine_origins(plan.views))
    rows = [(one.key, _shown(one.value), one.origin, one.note) for one in found]
    return table(("key", "value", "origin", "note"), rows)


def _shown(value: object) -> str:
    return "unknown" if value is None else str(value)
