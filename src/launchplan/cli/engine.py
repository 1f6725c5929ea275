"""`launchplan engine`: what a release of an engine takes, read out of the engine itself."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from launchplan.cli.exits import CLEAN, ERRORS, RefusalError
from launchplan.cli.output import emit, say
from launchplan.cli.write import write_file
from launchplan.errors import system_reason

if TYPE_CHECKING:
    from launchplan.catalog import EngineFacts

ENGINES = ("vllm", "sglang", "vllm-router", "sglang-router")
SECONDS = 600
"""A cold import of an engine takes a minute on a slow disk; ten is a hang."""


@click.group()
def engine() -> None:
    """Read flags and variables out of an installed engine; keep their history."""


@engine.command()
@click.option(
    "--engine", "name", type=click.Choice(ENGINES), help="Left out: vLLM, or SGLang where that is installed."
)
@click.option(
    "--python", metavar="PATH", help="Python of the environment that has the engine; left out: this one."
)
@click.option("-o", "--output", metavar="FILE", help="Left out: ENGINE-VERSION.yaml; '-' is standard output.")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
def record(name: str | None, python: str | None, output: str | None, force: bool) -> int:
    """Write the flags and environment variables of an installed engine as a facts file.

    The engine's own parser is built and read in a process of its own; no model is loaded and no GPU is
    needed. Names, types, choices and defaults are kept. Give the file to `--engine-facts`.
    """
    from launchplan.catalog.record import facts_text

    facts = _recorded(python or sys.executable, name)
    text = facts_text(facts)
    if output == "-":
        emit(text)
        return CLEAN
    file = output or f"{facts.engine}-{facts.version}.yaml"
    write_file(Path(file), text, overwrite=force)
    say(f"{file} written: {len(facts.flags)} flags, {len(facts.variables)} variables\n")
    return CLEAN


@engine.command()
@click.argument("name", metavar="ENGINE", type=click.Choice(("vllm", "sglang")))
@click.option("--write", is_flag=True, help="Write the file into the catalog instead of printing it.")
@click.option("--check", is_flag=True, help="Exit 1 when the catalog's file is not what is computed.")
def spans(name: str, write: bool, check: bool) -> int:
    """Compute from which to which known release each flag of ENGINE exists."""
    from launchplan.catalog.history import FOLDER, spans_of, spans_text

    file = FOLDER / f"{name}.spans.yaml"
    text = spans_text(spans_of(name))
    if check:
        return CLEAN if file.exists() and file.read_text(encoding="utf-8") == text else ERRORS
    if not write:
        emit(text)
        return CLEAN
    write_file(file, text, overwrite=True)
    say(f"{file} written\n")
    return CLEAN


def _recorded(python: str, name: str | None) -> EngineFacts:
    from launchplan.catalog.record import facts_of
    from launchplan.errors import CatalogError

    wanted = (name,) if name is not None else ("vllm", "sglang")
    said = ""
    for each in wanted:
        answer = _asked(python, each)
        if answer.returncode == 0:
            try:
                return facts_of(answer.stdout, datetime.now(UTC).date().isoformat())
            except CatalogError as error:
                raise RefusalError(str(error)) from error
        said = said or answer.stderr
    last = next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "it said nothing")
    raise RefusalError(
        f"{python} has no {' or '.join(wanted)} whose parser could be built: {last}; name its Python with"
        " --python"
    )


def _asked(python: str, name: str) -> subprocess.CompletedProcess[str]:
    from launchplan.catalog.record import PROBE

    command = [python, str(PROBE), name]
    try:
        return subprocess.run(  # noqa: S603 # the user names the Python
            command,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RefusalError(f"{name} gave no answer within {SECONDS} s") from error
    except OSError as error:
        raise RefusalError(f"cannot run {python}: {system_reason(error)}") from error
