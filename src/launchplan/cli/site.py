"""`launchplan site`."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from launchplan.cli.exits import CLEAN, RefusalError
from launchplan.cli.inputs import Outcome, examine, say_findings
from launchplan.cli.options import cluster_option
from launchplan.cli.output import emit, say
from launchplan.finding import Severity
from launchplan.units import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from launchplan.render.site import Shelved

_SUFFIXES = frozenset({".yaml", ".yml", ".json"})
_OURS = re.compile(r"""(?:^|[\s{,"'])launchplan["']?\s*:""")
_RECIPE_KEY = re.compile(r"""(?:^|[\s{,"'])(?:model|engine|parallel|hardware|pools)["']?\s*:""")
"""Keys of a recipe that a cluster file has not."""


@click.command()
@click.argument("folder", metavar="DIR")
@click.option("-o", "--output", metavar="OUT", required=True, help="Folder that becomes the site.")
@click.option("--title", default="Recipes", show_default=True, help="Of the index.")
@cluster_option
@click.option("--templates", metavar="DIR", help="Folder whose templates replace the shipped ones.")
@click.option("--force", is_flag=True, help="Write over files of the site that were edited.")
def site(
    folder: str, output: str, title: str, cluster: str | None, templates: str | None, force: bool
) -> int:
    """Write a static site of the recipes below DIR: an index to search, and the runbook of each.

    It works from a file system and asks nothing of any network. A recipe that has errors or cannot be read is
    shown as such, and the exit code says so: 1 or 2, as of `check`.
    """
    from launchplan.cli.write import write_bundle
    from launchplan.render.site import site_bundle

    top, target = Path(folder), Path(output)
    if not top.is_dir():
        raise RefusalError(f"{folder} is no folder; name one that holds recipes")
    outcomes = [(path, examine(str(path), cluster)) for path in _recipes(top, target)]
    if not outcomes:
        raise RefusalError(f"no recipe below {folder}: files with a `launchplan:` key are looked for")
    shelved = tuple(_shelved(path, top, outcome, templates) for path, outcome in outcomes)
    bundle = site_bundle(title, shelved, templates)
    write_bundle(bundle, target, force=force)
    for _, outcome in outcomes:
        errors = [each for each in outcome.checked.findings if each.severity is Severity.ERROR]
        if errors:
            say_findings(errors, outcome.checked)
    emit(f"{target}: {plural(len(shelved), 'recipe')}, {plural(len(bundle.files), 'file')}\n")
    return max((outcome.code for _, outcome in outcomes), default=CLEAN)


def _recipes(top: Path, target: Path) -> Iterator[Path]:
    """Find the files that mean to be recipes, in the order of their paths; hidden folders are left alone."""
    beside = Path(os.path.realpath(target))
    found: list[Path] = []
    for root, folders, files in os.walk(top):
        here = Path(root)
        folders[:] = [
            name for name in folders if not name.startswith(".") and (here / name).resolve() != beside
        ]
        found += (here / name for name in files if Path(name).suffix in _SUFFIXES)
    yield from (path for path in sorted(found, key=lambda path: path.relative_to(top).parts) if _means(path))


def _means(path: Path) -> bool:
    """Tell whether a file means to be a recipe, be it readable as one or not."""
    if not path.is_file():
        return False  # a pipe would wait for somebody to write
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return True  # it is shown as one that cannot be read
    return _OURS.search(text) is not None and _RECIPE_KEY.search(text) is not None


def _shelved(path: Path, top: Path, outcome: Outcome, templates: str | None) -> Shelved:
    from launchplan.api import bundle_of
    from launchplan.errors import UnprintableError
    from launchplan.render.site import Shelved, home_of, readable_entry, unreadable_entry

    name, plan = path.relative_to(top).as_posix(), outcome.plan
    if plan is None:
        return Shelved(unreadable_entry(name, outcome.checked.findings))
    files: dict[str, bytes] = {f"recipe{path.suffix}": path.read_bytes()}
    if plan.launch is not None:
        try:
            made = bundle_of(plan, plan.launch, ("runbook",), templates, home_of(name)).files
            files |= {each: made[each] for each in ("RUNBOOK.md", "runbook.html")}
        except UnprintableError as error:
            say(f"{path}: no runbook: {error}\n")
    return Shelved(readable_entry(name, plan.resolved, plan.findings), files)
