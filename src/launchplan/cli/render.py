"""`launchplan render`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from launchplan.cli.exits import CLEAN, ERRORS
from launchplan.cli.inputs import examine, say_findings, say_obstacles
from launchplan.cli.options import cluster_option, engine_facts_option, recipe_argument, set_option
from launchplan.cli.output import emit, say
from launchplan.finding import Severity
from launchplan.units import plural

if TYPE_CHECKING:
    from launchplan.render import Bundle

_FIRST_STEPS = {
    "RUNBOOK.md": "next: less {}",
    "preflight.sh": "on each host: bash {} NODE",
    "docker": "with Docker, on each host: bash {}/NODE.sh",
    "compose": "with Compose, on each host: docker compose --file {}/NODE/docker-compose.yaml up --detach",
    "kubernetes": "with Kubernetes: kubectl apply --kustomize {}",
}
"""What to do with a new bundle, by the file or folder that it needs; RUNBOOK.md names the processes."""


@click.command()
@recipe_argument
@click.option(
    "-o", "--output", "folder", metavar="DIR", required=True, help="Folder that becomes the bundle."
)
@click.option(
    "--target",
    "targets",
    metavar="NAME",
    multiple=True,
    default=("shell",),
    show_default=True,
    help="What to render: see `launchplan list targets`; all of them with 'all'. May be repeated.",
)
@cluster_option
@set_option
@engine_facts_option
@click.option(
    "--force", is_flag=True, help="Render despite errors, and over files of the bundle that were edited."
)
@click.option("--templates", metavar="DIR", help="Folder whose templates replace the shipped ones.")
def render(
    recipe: str,
    folder: str,
    targets: tuple[str, ...],
    cluster: str | None,
    settings: tuple[str, ...],
    force: bool,
    templates: str | None,
) -> int:
    """Write a recipe's launch bundle: scripts, checks, runbook.

    Nothing is written while the recipe has errors. DIR may be new, empty, or a bundle rendered before; it is
    replaced as a whole, and only if nobody edited it.
    """
    from launchplan.cli.write import write_bundle
    from launchplan.render import render_bundle

    outcome = examine(recipe, cluster, settings)
    plan = outcome.plan
    if plan is None or plan.launch is None or (plan.errors and not force):
        say_obstacles(outcome)
        say(f"nothing written to {folder}\n")
        return outcome.code or ERRORS
    bundle = render_bundle(plan.launch, plan.findings, targets, templates)
    write_bundle(bundle, Path(folder), force=force)
    notable = [finding for finding in outcome.checked.findings if finding.severity is not Severity.INFO]
    say_findings(notable, outcome.checked)
    emit(_done(bundle, Path(folder)))
    return CLEAN


def _done(bundle: Bundle, folder: Path) -> str:
    present = {path.partition("/")[0] for path in bundle.files}
    steps = (step.format(_command(folder, name)) for name, step in _FIRST_STEPS.items() if name in present)
    lines = [f"{folder}: {plural(len(bundle.files), 'file')}", *steps]
    return "\n".join(lines) + "\n"


def _command(folder: Path, name: str) -> str:
    return shlex.quote(str(folder / name))
