"""`launchplan schema`."""

from __future__ import annotations

import json
from typing import Literal, get_args

import click

from launchplan.cli.output import emit

Kind = Literal["recipe", "cluster"]


@click.command()
@click.argument("kind", type=click.Choice(get_args(Kind)), metavar="|".join(get_args(Kind)))
def schema(kind: Kind) -> None:
    """Print the JSON Schema of recipe or cluster files."""
    from launchplan.report.schemas import file_schema

    emit(json.dumps(file_schema(kind), indent=2, ensure_ascii=False) + "\n")
