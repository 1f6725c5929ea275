"""`launchplan lint --to-recipe`: the option, and what it prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from launchplan.cli.exits import CLEAN, ERRORS
from launchplan.cli.output import emit, say

if TYPE_CHECKING:
    from launchplan.cli.options import CommandFunction


def to_recipe_option(function: CommandFunction) -> CommandFunction:
    """Take `--to-recipe`."""
    return click.option(
        "--to-recipe", is_flag=True, help="Print the command as a recipe that renders back to it."
    )(function)


def print_recipe(
    command: str | Sequence[str],
    *,
    gpu: str | None = None,
    nodes: int | None = None,
    gpus_per_node: int | None = None,
    engine: str | None = None,
    version: str | None = None,
) -> int:
    """Print a command's recipe; exit 1 where some flag can't be said. Raises `InputError` for no command."""
    from launchplan import api

    draft = api.to_recipe(
        command, gpu=gpu, nodes=nodes, gpus_per_node=gpus_per_node, engine=engine, version=version
    )
    emit(draft.text)
    for flag in draft.unsaid:
        say(f"not said: {flag}\n")
    return ERRORS if draft.unsaid else CLEAN
