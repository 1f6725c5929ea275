"""`launchplan lint --to-recipe`: the option, and what it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from launchplan.cli.exits import CLEAN, ERRORS
from launchplan.cli.output import emit, say

if TYPE_CHECKING:
    from launchplan.cli.options import CommandFunction
    from launchplan.lint import RecipeDraft


def to_recipe_option(function: CommandFunction) -> CommandFunction:
    """Take `--to-recipe`."""
    return click.option(
        "--to-recipe", is_flag=True, help="Print the command as a recipe that renders back to it."
    )(function)


def print_recipe(draft: RecipeDraft) -> int:
    """Print a command's recipe; exit 1 where some flag can't be said."""
    emit(draft.text)
    for flag in draft.unsaid:
        say(f"not said: {flag}\n")
    return ERRORS if draft.unsaid else CLEAN
