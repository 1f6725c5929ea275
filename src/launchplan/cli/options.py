"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

CommandFunction = TypeVar("CommandFunction", bound=Callable[..., Any])


def recipe_argument(function: CommandFunction) -> CommandFunction:
    """Take one RECIPE."""
    return click.argument("recipe")(function)


def cluster_option(function: CommandFunction) -> CommandFunction:
    """Take `--cluster`."""
    return click.option("--cluster", metavar="FILE", help="Cluster file: what only the site knows.")(function)


def set_option(function: CommandFunction) -> CommandFunction:
    """Take `--set`, any number of times."""
    return click.option(
        "--set",
        "settings",
        metavar="KEY=VALUE",
        multiple=True,
        help="Override a key of the recipe, such as parallel.tp=8; an empty value removes it.",
    )(function)
