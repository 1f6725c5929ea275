"""From a RECIPE argument to a checked plan."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from launchplan.cli.exits import CLEAN, ERRORS, UNREADABLE
from launchplan.cli.output import say, wants_color
from launchplan.errors import InputError
from launchplan.finding import Finding, Location, Severity

if TYPE_CHECKING:
    from launchplan.pipeline import Plan
    from launchplan.report import Checked

STDIN = "-"
_STDIN_NAME = "<stdin>"
_DRAFT_NAME = "<new recipe>"
_TEXT_NAME = "<text>"
"""How the library names text that came without a file."""
_MAX_EXCERPT_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """A recipe's check, for a report, and the plan behind it; None when the input could not be read."""

    checked: Checked
    plan: Plan | None

    @property
    def code(self) -> int:
        """The exit code that this recipe asks for."""
        if self.plan is None:
            return UNREADABLE
        return ERRORS if self.plan.errors else CLEAN


def examine(recipe: str, cluster: str | None = None, settings: Iterable[str] = ()) -> Outcome:
    """Check one RECIPE; what cannot be read is in the outcome's findings."""
    from launchplan import api
    from launchplan.report import Checked

    text: str | None = None
    try:
        source = read_stdin() if recipe == STDIN else find_recipe(recipe)
    except InputError as error:
        return Outcome(Checked(_shown(recipe), error.findings), None)
    if isinstance(source, str):
        text = source
    report = api.check(source, cluster=Path(cluster) if cluster is not None else None, set=settings)
    findings = tuple(_named(finding, _STDIN_NAME) for finding in report.findings)
    file = _shown(recipe) if isinstance(source, str) else str(source)
    texts = _texts(findings) | _texts_of(report.plan) | ({_STDIN_NAME: text} if text is not None else {})
    not_run = report.plan.not_run if report.plan else ()
    return Outcome(Checked(file, findings, not_run, texts), report.plan)


def find_recipe(name: str) -> Path:
    """Find the file that a RECIPE argument means: a path, or the name of a shipped recipe.

    Raises `InputError` with the nearest name when it is neither.
    """
    path = Path(name)
    if path.exists() or path.suffix in {".yaml", ".yml", ".json"}:
        return path
    shipped = shipped_recipes()
    if name in shipped:
        return shipped[name]
    from launchplan.source import problem

    near = get_close_matches(name, shipped, 1)
    fix = f"did you mean {near[0]}?" if near else "`launchplan list recipes` names the shipped ones"
    message = "no such file, and no shipped recipe of this name"
    raise InputError((problem("REC001", message, Location(name), fix=fix),))


def shipped_recipes() -> dict[str, Path]:
    """Map the names of the shipped recipes, with and without their folder, to their files."""
    from launchplan.resources import recipes_dir

    folder = recipes_dir()
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.yaml")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        found[name] = found[path.stem] = _from_here(path)
    return found


def _from_here(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def read_stdin() -> str:
    """Read standard input as UTF-8; raise `InputError` with the place where it is not."""
    from launchplan.source import problem

    content = sys.stdin.buffer.read()
    try:
        # The line end makes it text for the library, whatever it is.
        return content.decode("utf-8") + "\n"
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        message = f"byte 0x{content[error.start]:02x} is not UTF-8"
        place = Location(_STDIN_NAME, line, column)
        raise InputError((problem("REC001", message, place, fix="send it as UTF-8"),)) from error


def _shown(recipe: str) -> str:
    return _STDIN_NAME if recipe == STDIN else recipe


def _named(finding: Finding, name: str) -> Finding:
    """Say where text came from that was given to the library without a file."""
    if finding.location is None or finding.location.file != _TEXT_NAME:
        return finding
    return replace(finding, location=replace(finding.location, file=name))


def _texts(findings: Sequence[Finding]) -> dict[str, str]:
    """Read the files that findings point into, for the lines that a report shows."""
    names = {finding.location.file for finding in findings if finding.location and finding.location.line}
    texts: dict[str, str] = {}
    for name in sorted(names):
        try:
            path = Path(name)
            if path.is_file():  # a pipe can be read once only
                with path.open("rb") as file:
                    texts[name] = file.read(_MAX_EXCERPT_BYTES).decode("utf-8-sig", "replace")
        except (OSError, ValueError):
            continue  # an override, standard input: there is no file to show
    return texts


def _texts_of(plan: Plan | None) -> dict[str, str]:
    """Take the texts that were read for a plan; a pipe cannot be read again."""
    loaded = (plan.recipe, plan.cluster) if plan else ()
    return {each.document.file: each.document.text for each in loaded if each is not None}


def say_findings(findings: Sequence[Finding], checked: Checked | None = None, text: str = "") -> None:
    """Print findings to standard error; `text` is a draft that has no file yet."""
    from launchplan.report import Checked, finding_text

    findings = tuple(_named(finding, _DRAFT_NAME) for finding in findings)
    check = checked or Checked("", findings, (), _texts(findings) | {_DRAFT_NAME: text})
    color = wants_color(sys.stderr)
    say("\n".join(finding_text(finding, check, color=color) for finding in findings))


def say_obstacles(outcome: Outcome) -> None:
    """Print to standard error what keeps a command from its work."""
    errors = [finding for finding in outcome.checked.findings if finding.severity is Severity.ERROR]
    say_findings(errors, outcome.checked)
