"""`launchplan catalog`: entries of the catalog from what a repository holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from launchplan.cli.exits import CLEAN, RefusalError
from launchplan.cli.output import emit, say
from launchplan.cli.write import write_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from launchplan.architecture import Architecture
    from launchplan.catalog.draft import Draft

_SOURCE = "config.json of the model's Hugging Face repository"


@click.group()
def catalog() -> None:
    """Add to what launchplan knows."""


@catalog.command()
@click.argument("config", metavar="CONFIG")
@click.option("--id", "name", required=True, metavar="ORG/NAME", help="Hub id of the model.")
@click.option("--source", default=_SOURCE, show_default=True, help="Where the config comes from.")
@click.option("-o", "--output", metavar="FILE", help="Left out: NAME.yaml; '-' is standard output.")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
def add(config: str, name: str, source: str, output: str | None, force: bool) -> int:
    """Write a catalog entry for the model of a config.json, or of the folder that holds it.

    What the config does not tell stands under `unconfirmed`. Exact bytes are read from safetensors files or
    their index beside it.
    """
    from launchplan.resolve.model import model_of_config

    organisation, _, short = name.partition("/")
    if not organisation or not short or "/" in short:
        raise click.BadParameter("write it as ORG/NAME", param_hint="--id")
    read = model_of_config(name, config)
    if read.architecture is None or read.config is None:
        raise RefusalError(f"{config} describes no model")
    entry = _entry(read.config, _draft(name, source, config, read.quantization_config, read.architecture))
    text = _yaml(entry)
    if output == "-":
        emit(text)
    else:
        file = output or f"{short}.yaml"
        write_file(Path(file), text, overwrite=force)
        say(f"{file} written\n")
    for field in read.architecture.unknown:
        say(f"not known: {field}\n")
    return CLEAN


def _draft(
    name: str, source: str, config: str, quantization: Mapping[str, Any] | None, model: Architecture
) -> Draft:
    from launchplan.catalog.draft import Draft
    from launchplan.memory.checkpoint import checkpoint_size, checkpoint_size_on_disk

    path = Path(config)
    disk = checkpoint_size_on_disk(path if path.is_dir() else path.parent)
    size = checkpoint_size(model)
    today = datetime.now(tz=UTC).date().isoformat()
    total = size.parameters if size else None
    return Draft(name, source, today, quantization, total, disk.total if disk else None)


def _entry(config: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
    """Make the entry, and keep all that changes the model or the bytes of any class."""
    from launchplan.architecture import read_architecture
    from launchplan.catalog.draft import draft_entry
    from launchplan.memory.checkpoint import checkpoint_size

    model = read_architecture(config, draft.quantization)

    size = checkpoint_size(model)

    def is_same(other: Architecture) -> bool:
        return _shape(other) == _shape(model) and checkpoint_size(other) == size

    return draft_entry(config, draft, is_same)


def _shape(model: Architecture) -> Architecture:
    """Leave out what an entry writes in another way: unread keys, and the names of modules."""
    settings = replace(model.quantization, ignore=(), modules=(), separate_file=False)
    return replace(model, quantization=settings, dims={}, lists={})


def _yaml(entry: Mapping[str, Any]) -> str:
    import yaml

    text: str = yaml.safe_dump(
        dict(entry), sort_keys=False, width=108, allow_unicode=True, default_flow_style=None
    )
    return text
