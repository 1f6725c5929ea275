"""Exit codes."""

from __future__ import annotations

from typing import IO, Any

import click

CLEAN = 0
"""Nothing stands in the way; with `--strict` no warning either."""
ERRORS = 1
"""Errors were found."""
UNREADABLE = 2
"""The command line or an input file could not be read as what it should be."""
INTERNAL = 3
"""A bug of launchplan."""
INTERRUPTED = 130
"""Ctrl-C."""
CLOSED_PIPE = 141
"""Whoever read the output went away."""


class RefusalError(click.ClickException):
    """What the user asked for cannot be done as asked; the message says why and what can."""

    exit_code = UNREADABLE

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message as all talk is printed."""
        click.echo(f"error: {self.format_message()}", file=file, err=True)
