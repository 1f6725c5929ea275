"""`launchplan fit`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from launchplan.cli.exits import CLEAN, ERRORS
from launchplan.cli.new import path_from
from launchplan.cli.output import emit, say
from launchplan.cli.processes import spread

if TYPE_CHECKING:
    from launchplan.fit.answer import Fits, Offer

EngineName = Literal["vllm", "sglang"]
_QUIET_S = 1.0
"""A search that takes longer says on a terminal how far it is."""


@click.command()
@click.argument("model", metavar="MODEL")
@click.option("--gpu", "gpus", metavar="ID[,ID]", multiple=True, help="GPUs to search; may be repeated.")
@click.option("--checkpoint", metavar="ID", help="The one to load; left out: every one of the model.")
@click.option("--workload", metavar="NxTOKENS|FILE", help="Requests at once and tokens of each: 50x100k.")
@click.option("--engine", type=click.Choice(get_args(EngineName)), help="Left out: vllm.")
@click.option("--engine-version", "version", metavar="VERSION", help="Left out: the newest that is known.")
@click.option("--max-gpus", type=click.IntRange(1, 4096), default=128, show_default=True, help="At most.")
@click.option("--gpus-per-node", type=click.IntRange(1, 128), help="Left out: what such a host has.")
@click.option("--fabric", metavar="ID", help="What connects the hosts: see `launchplan list fabrics`.")
@click.option("--prices", metavar="FILE", help="YAML: price of one GPU for an hour, by GPU.")
@click.option("--derived", is_flag=True, help="Search GPUs, too, on which nobody is known to have run it.")
@click.option("--all", "everything", is_flag=True, help="Show the whole Pareto front.")
@click.option("--json", "as_json", is_flag=True, help="Print every layout that fits as JSON.")
@click.option("--recipe", "folder", metavar="DIR", help="Write the layouts shown as recipes.")
@click.option("--force", is_flag=True, help="Overwrite recipes in DIR.")
def fit(model: str, everything: bool, as_json: bool, folder: str | None, force: bool, **wishes: Any) -> int:
    """Find what to rent for a model, and how to lay it out.

    Every layout that engine and memory accept is compared: GPUs, requests at once, speed, cost. Published
    layouts come first; the others are derived, never verified.
    """
    from launchplan.fit.ask import fit as search
    from launchplan.fit.json_format import fits_json
    from launchplan.fit.shortlist import shortlist
    from launchplan.fit.text import fits_text

    if force and folder is None:
        raise click.UsageError("--force belongs to --recipe")
    names = [name.strip() for given in wishes.pop("gpus") for name in given.split(",") if name.strip()]
    progress = _Progress()
    fits = search(model, gpu=names, progress=progress, spread=spread, **wishes)
    progress.clear()
    if folder is not None:
        _write(fits, fits.front if everything else shortlist(fits), Path(folder), force=force)
    emit(fits_json(fits) if as_json else fits_text(fits, everything=everything))
    return CLEAN if fits.offers else ERRORS


class _Progress:
    """Says on a terminal how far a search is, once it takes long."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __call__(self, text: str) -> None:
        if self._is_wanted():
            say(f"\r\x1b[K{text}")

    def clear(self) -> None:
        """Take the last line away, whichever process wrote it."""
        if self._is_wanted():
            say("\r\x1b[K")

    def _is_wanted(self) -> bool:
        return sys.stderr.isatty() and time.monotonic() - self._start > _QUIET_S


def _write(fits: Fits, offers: tuple[Offer, ...], folder: Path, *, force: bool) -> None:
    from launchplan.cli.write import write_files
    from launchplan.fit.recipes import recipe_files

    here = Path(fits.question.model)
    files = recipe_files(fits, offers, path_from(here, folder) if here.exists() else None)
    if not files:
        say("no recipe written: every layout shown is a shipped recipe, or nothing fits\n")
        return
    write_files({folder / name: text for name, text in files.items()}, overwrite=force)
    say("".join(f"{folder / name}\n" for name in files))
