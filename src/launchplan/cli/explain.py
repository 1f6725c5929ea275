"""`launchplan explain`."""

from __future__ import annotations

from difflib import get_close_matches

import click

from launchplan.cli.exits import RefusalError
from launchplan.cli.output import emit


@click.command()
@click.argument("code")
def explain(code: str) -> None:
    """Print a rule's page: why, how to mend it, its sources.

    CODE is a finding's code or name: PAR101 or tp-splits-heads.
    """
    from launchplan.lint.problems import PROBLEMS as WRITTEN
    from launchplan.report.pages import explain_problem, explain_rule, explain_written
    from launchplan.rules import RULES
    from launchplan.source.problem import PROBLEMS

    wanted = code.strip().casefold()
    for rule in RULES:
        if wanted in {rule.code.casefold(), rule.name}:
            emit(explain_rule(rule))
            return
    for known, (name, meaning) in PROBLEMS.items():
        if wanted in {known.casefold(), name}:
            emit(explain_problem(known, name, meaning))
            return
    for known, kind in WRITTEN.items():
        if wanted in {known.casefold(), kind.name}:
            emit(explain_written(known, kind.name, kind.severity, kind.meaning, kind.why))
            return
    names = [name for rule in RULES for name in (rule.code, rule.name)] + [*PROBLEMS, *WRITTEN]
    near = get_close_matches(code.strip().upper(), names, 1) or get_close_matches(wanted, names, 1)
    cure = f"did you mean {near[0]}?" if near else "`launchplan list rules` names them"
    raise RefusalError(f"no rule is called {code}; {cure}")
