"""`launchplan docs`: the generated pages of the repository (hidden; `make docs` runs it)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from launchplan.cli.exits import CLEAN, ERRORS, RefusalError
from launchplan.cli.output import emit, say

if TYPE_CHECKING:
    from launchplan.report.pages import Case

GENERATED_FOLDERS = ("rules", "schema")
"""Folders that hold generated files only."""
_RECIPE_INTRO = """
A recipe says what to serve, with which engine, on what, laid out how. It is YAML (or JSON); what is left out
is derived, and `launchplan show RECIPE --origins` prints what became of it.

Numbers are plain digits and strings that look like numbers stand in quotes: `version: "0.33.0"`.
`yes`, `no`, `on`, `off`, dates and `010` are the strings that they look like. An unknown key is an error.
"""
_CLUSTER_INTRO = """
A cluster file says what only the site knows: addresses, interfaces, folders, schedulers. One recipe goes with
many clusters. Without one, scripts ask for these values as variables: `HEAD_ADDR`, `NODE_IFNAME` and so on.

Secrets do not belong into it. Name the Secret (Kubernetes) or export the variable on the host.
"""


@click.command(hidden=True)
@click.option("--write", "target", metavar="DIR", help="Write the pages below DIR.")
@click.option(
    "--check", "checked", metavar="DIR", help="Say which pages below DIR are not as they would be written."
)
@click.option("--cases", metavar="DIR", default="tests/rules", show_default=True, help="The rules' examples.")
@click.option(
    "--conformance",
    metavar="DIR",
    default="tests/conformance",
    show_default=True,
    help="What the engines' own verdicts were compared with.",
)
@click.option(
    "--public", metavar="DIR", default="tests/cases", show_default=True, help="Launches of public reports."
)
def docs(target: str | None, checked: str | None, cases: str, conformance: str, public: str) -> int:
    """Write, or check, the pages that are made from the code."""
    if (target is None) == (checked is None):
        raise click.UsageError("give either --write or --check")
    pages = _pages(Path(cases), Path(conformance), Path(public))
    if target is not None:
        _write(Path(target), pages)
        return CLEAN
    stale = _stale(Path(str(checked)), pages)
    emit("".join(f"{path}: {reason}\n" for path, reason in stale))
    if stale:
        say("run: make docs\n")
    return ERRORS if stale else CLEAN


def _pages(cases: Path, conformance: Path, public: Path) -> dict[str, str]:
    from launchplan.cli.help_page import help_page
    from launchplan.lint.problems import PROBLEMS as WRITTEN
    from launchplan.report import examples
    from launchplan.report.pages import rule_page, rules_index
    from launchplan.report.reference import reference_page
    from launchplan.report.schemas import file_schema
    from launchplan.rules import RULES
    from launchplan.source.problem import PROBLEMS

    recipe, cluster = file_schema("recipe"), file_schema("cluster")
    problems = [(code, name, meaning) for code, (name, meaning) in PROBLEMS.items()]
    written = [(code, kind.name, kind.severity, kind.meaning) for code, kind in WRITTEN.items()]
    pages = {
        "cli.md": help_page(click.get_current_context().find_root().command),
        "recipe.md": reference_page(recipe, "Recipes", _RECIPE_INTRO, examples.RECIPE),
        "cluster.md": reference_page(cluster, "Cluster files", _CLUSTER_INTRO, examples.CLUSTER),
        "schema/recipe.schema.json": json.dumps(recipe, indent=2, ensure_ascii=False) + "\n",
        "schema/cluster.schema.json": json.dumps(cluster, indent=2, ensure_ascii=False) + "\n",
        "rules/README.md": rules_index(RULES, problems, written),
    }
    pages |= {f"rules/{rule.code}.md": rule_page(rule, _case(cases / rule.code)) for rule in RULES}
    return pages | {"conformance.md": _conformance(conformance, public)}


def _conformance(folder: Path, public: Path) -> str:
    from launchplan.report.conformance import Deliberate, conformance_page, stages_of
    from launchplan.source import parse_text

    counts = {path.stem: json.loads(_read(path)) for path in sorted((folder / "agreement").glob("*.json"))}
    file = folder / "deliberate.yaml"
    listed = parse_text(_read(file), str(file)).data
    deliberate = [
        Deliberate(each["code"], tuple(each["engines"]), each["does"], each["evidence"]) for each in listed
    ]
    file = folder / "offers" / "counts.yaml"
    offers = parse_text(_read(file), str(file)).data
    launches = {each.name: parse_text(_read(each), str(each)).data for each in sorted(public.glob("*.yaml"))}
    return conformance_page(stages_of(counts), deliberate, offers, launches)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise RefusalError(f"what the pages are made from is missing: {error.filename}") from error


def _case(folder: Path) -> Case:
    from launchplan.report.pages import Case

    try:
        texts = [(folder / name).read_text(encoding="utf-8") for name in ("bad.yaml", "bad.txt", "good.yaml")]
    except OSError as error:
        raise RefusalError(f"the example of a rule is missing: {error.filename}") from error
    beside = (folder / name for name in ("bad.cluster.yaml", "good.cluster.yaml", "config.json"))
    return Case(*texts, *(_read(path) if path.exists() else "" for path in beside))


def _write(folder: Path, pages: dict[str, str]) -> None:
    for path, _ in _stale(folder, pages):
        if path.exists() and path.relative_to(folder).as_posix() not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def _stale(folder: Path, pages: dict[str, str]) -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    for name, text in sorted(pages.items()):
        path = folder / name
        if not path.is_file():
            found.append((path, "missing"))
        elif path.read_text(encoding="utf-8") != text:
            found.append((path, "not current"))
    present = (path for name in GENERATED_FOLDERS for path in sorted((folder / name).glob("*")))
    found += (
        (path, "not made any more") for path in present if path.relative_to(folder).as_posix() not in pages
    )
    return found
