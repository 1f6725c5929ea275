"""`launchplan observe`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from launchplan.cli.exits import CLEAN, RefusalError
from launchplan.cli.inputs import STDIN, examine, say_obstacles
from launchplan.cli.options import cluster_option, recipe_argument, set_option
from launchplan.cli.output import emit, say
from launchplan.cli.write import write_file
from launchplan.errors import InputError, system_reason

if TYPE_CHECKING:
    from launchplan.observe import Observation

_LOG_LIMIT_BYTES = 500_000_000


@click.command()
@recipe_argument
@cluster_option
@set_option
@click.option(
    "--log", "log", metavar="FILE", required=True, help="The engine's log, or - for standard input."
)
@click.option("--role", metavar="ROLE", help="The pool that the log is of, such as prefill.")
@click.option(
    "--write", "target", metavar="FILE", help="Keep the figures for `launchplan memory --measured`."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the comparison and every rank's figures as JSON."
)
def observe(  # one a flag
    recipe: str,
    cluster: str | None,
    settings: tuple[str, ...],
    log: str,
    role: str | None,
    target: str | None,
    *,
    as_json: bool,
) -> int:
    """Compare what an engine's log measured with what was planned.

    The last start in the log counts, and of its ranks the fullest one.
    """
    from launchplan.observe import observe_pools
    from launchplan.pipeline import budgets_of
    from launchplan.report.observe import observe_json, observe_text

    if recipe == STDIN and log == STDIN:
        raise RefusalError("recipe and log cannot both be standard input")
    outcome = examine(recipe, cluster, settings)
    if outcome.plan is None:
        say_obstacles(outcome)
        return outcome.code
    name = "<stdin>" if log == STDIN else Path(log).name
    found = observe_pools(budgets_of(outcome.plan), _read(log), name=name, role=role)
    if target is not None:
        _keep(found, Path(target))
    show = observe_json if as_json else observe_text
    emit(show(found.pool, found.log, found.comparisons, found.notes))
    return CLEAN


def _read(log: str) -> str:
    if log == STDIN:
        return sys.stdin.buffer.read(_LOG_LIMIT_BYTES).decode("utf-8", "replace")
    path = Path(log)
    try:
        if path.stat().st_size > _LOG_LIMIT_BYTES:
            raise RefusalError(
                f"{log} is larger than {_LOG_LIMIT_BYTES // 1_000_000} MB; give the engine's start"
            )
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise RefusalError(f"cannot read {log}: {system_reason(error)}") from error


def _keep(found: Observation, target: Path) -> None:
    """Write the figures over those of an earlier log, and over nothing else."""
    from launchplan.recipe import load_measured

    if target.exists():
        try:
            load_measured(target)
        except InputError as error:
            message = f"{target} holds something else than figures of a log; name another file"
            raise RefusalError(message) from error
    write_file(target, found.kept(), overwrite=True)
    say(f"kept in {target}\n")
