"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
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


def engine_facts_option(function: CommandFunction) -> CommandFunction:
    """Take `--engine-facts`; the file stands for the catalog's facts until the command ends."""
    return click.option(
        "--engine-facts",
        metavar="FILE",
        expose_value=False,
        callback=_use_facts,
        help="Flags of the engine that you run, as `launchplan engine record` writes them.",
    )(function)


def _use_facts(context: click.Context, _option: click.Parameter, file: str | None) -> None:
    if file is None:
        return
    from launchplan import catalog
    from launchplan.cli.exits import RefusalError
    from launchplan.errors import CatalogError

    try:
        context.with_resource(catalog.given_facts(catalog.read_engine_facts(Path(file))))
    except CatalogError as error:
        raise RefusalError(str(error)) from error
