"""`launchplan check`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal, get_args

import click

from launchplan.cli.exits import CLEAN, ERRORS
from launchplan.cli.inputs import STDIN, Outcome, examine
from launchplan.cli.options import cluster_option, engine_facts_option, set_option
from launchplan.cli.output import emit, wants_color

if TYPE_CHECKING:
    from collections.abc import Sequence

    from launchplan.report import Checked

Format = Literal["text", "json", "github", "sarif"]


@click.command()
@click.argument("recipes", nargs=-1, required=True, metavar="RECIPE...")
@cluster_option
@set_option
@engine_facts_option
@click.option(
    "--format",
    "form",
    type=click.Choice(get_args(Format)),
    default="text",
    show_default=True,
    help="Of the report.",
)
@click.option(
    "--what-if",
    is_flag=True,
    help="Of one recipe: its layout on every GPU, and the smallest change that makes it pass.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings, too.")
def check(
    recipes: tuple[str, ...],
    cluster: str | None,
    settings: tuple[str, ...],
    form: Format,
    what_if: bool,
    strict: bool,
) -> int:
    """Check recipes against model, hardware and engine version.

    \b
    error    this engine version refuses it, or it cannot work
    warning  it starts, and disappoints
    info     worth knowing
    """  # noqa: D301 # click reads the backspace
    if recipes.count(STDIN) > 1:
        raise click.UsageError("standard input can be read once only: name '-' once")
    if what_if and (len(recipes) > 1 or form not in {"text", "json"}):
        raise click.UsageError("--what-if is about one recipe, and is printed as text or JSON")
    outcomes = [examine(recipe, cluster, settings) for recipe in recipes]
    checks = [outcome.checked for outcome in outcomes]
    emit(_what_if(outcomes[0], form) if what_if else _report(checks, form))
    return max(_code(outcome, strict=strict) for outcome in outcomes)


def _what_if(outcome: Outcome, form: Format) -> str:
    from launchplan import report
    from launchplan.fit.whatif import what_if
    from launchplan.fit.whatif_json import what_if_data
    from launchplan.fit.whatif_text import what_if_text

    plan = outcome.plan
    found = what_if(plan) if plan is not None else None
    if form == "json":
        return report.json_report([outcome.checked], more={"what_if": what_if_data(found)})
    answers = what_if_text(found, failed=bool(plan.errors)) if plan is not None and found is not None else ""
    return _report([outcome.checked], form) + answers


def _code(outcome: Outcome, *, strict: bool) -> int:
    from launchplan.report import totals

    disappointing = strict and totals([outcome.checked]).warnings > 0
    return max(outcome.code, ERRORS if disappointing else CLEAN)


def _report(checks: Sequence[Checked], form: Format) -> str:
    from launchplan import report
    from launchplan.rules import RULES

    match form:
        case "text":
            return report.text_report(checks, color=wants_color(sys.stdout))
        case "json":
            return report.json_report(checks)
        case "github":
            return report.github_report(checks)
        case "sarif":
            return report.sarif_report(checks, report.titles(RULES))
