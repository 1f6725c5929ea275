"""Pages about rules: for the terminal, and as Markdown with the example that tests the rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from launchplan.finding import Severity

if TYPE_CHECKING:
    from launchplan.rules import Rule

_STAGES = {
    "Resolved": "the recipe with its catalog entries",
    "ResolvedPool": "the recipe with its catalog entries",
    "Layout": "the ranks on their nodes",
    "PoolLayout": "the ranks on their nodes",
    "Launch": "the command lines",
    "EngineView": "the command line as the engine reads it",
    "PoolViews": "the command lines of all pools as the engine resolves them",
    "VllmView": "the command line as the engine resolves it",
    "SglangView": "the command line as the engine resolves it",
}
"""What a rule looks at, by the name of the type that it takes."""

_STOPPED_BY = {
    "parse": "the argument parser",
    "config": "the checks of the configuration",
    "worker": "the workers that build the model",
    "memory": "the memory of the GPUs, once weights are loaded",
    "run": "nothing: it starts",
}
_REFUSED = "launchplan alone, which refuses to render it"
"""What stops the launch of an error that no engine looks for."""


@dataclass(frozen=True, slots=True)
class Case:
    """A rule's example, which is also its test: a recipe that breaks it, what is said, one that doesn't."""

    bad: str
    said: str
    good: str
    bad_cluster: str = ""
    good_cluster: str = ""
    config: str = ""
    """The `config.json` beside the recipes, where they name one."""


def explain_rule(rule: Rule) -> str:
    """Write a rule's page for a terminal: its head, then its own words."""
    head = f"{rule.code} {rule.name}: {rule.severity.word}, {_engines(rule)}"
    return f"{head}\n\n{rule.doc.strip()}\n"


def explain_problem(code: str, name: str, meaning: str) -> str:
    """Write the page of a code for unreadable input."""
    return f"{code} {name}: error, exit code 2\n\nA recipe or cluster file cannot be read: {meaning}.\n"


def explain_written(code: str, name: str, severity: Severity, meaning: str, why: str) -> str:
    """Write the page of a code about how a file writes its commands."""
    head = f"{code} {name}: {severity.word}, in files that `launchplan lint` reads"
    return f"{head}\n\n{meaning[0].upper()}{meaning[1:]}.\n\n## Why\n\n{why}\n"


def rule_page(rule: Rule, case: Case) -> str:
    """Write a rule's Markdown page."""
    title, _, body = rule.doc.strip().partition("\n")
    rows = [
        ("severity", rule.severity.word),
        ("engines", _engines(rule)),
        ("looks at", _STAGES[rule.stage.__name__]),
    ]
    rows.append(("a launch is stopped by", _stops(rule)))
    rows += [
        ("enforced in", _cell(f"{engine}: {place}" if engine else place)) for engine, place in rule.sources
    ]
    facts = "\n".join(f"| {name} | {value} |" for name, value in rows)
    blocks = [
        f"# {rule.code} {rule.name}",
        title.strip(),
        f"| | |\n|---|---|\n{facts}",
        body.strip(),
        "## Example",
        *_example(case),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _example(case: Case) -> Iterator[str]:
    """Show the files of a case; what both recipes share is shown once."""
    yield "This recipe breaks it:"
    yield _fenced(case.bad, "yaml")
    if case.bad_cluster:
        yield "with this cluster file:"
        yield _fenced(case.bad_cluster, "yaml")
    if case.config:
        yield "and this `config.json` beside it:"
        yield _fenced(case.config, "json")
    yield "launchplan finds:"
    yield _fenced(case.said, "text")
    same = case.bad == case.good
    if not same:
        yield "This one is fine:"
        yield _fenced(case.good, "yaml")
    elif not case.good_cluster:
        yield "Without the cluster file it is fine."
    if case.good_cluster:
        yield "The same recipe is fine with this cluster file:" if same else "with this cluster file:"
        yield _fenced(case.good_cluster, "yaml")


def rules_index(
    rules: Iterable[Rule],
    problems: Iterable[tuple[str, str, str]],
    written: Iterable[tuple[str, str, Severity, str]] = (),
) -> str:
    """Write the Markdown index of all rules, and of the codes that have no rule.

    `problems` (code, name, meaning) are those of unreadable input, `written` (with the severity) those about
    how files write commands.
    """
    lines = [
        "# Rules",
        "",
        "`error`: this engine version refuses it, or it cannot work. `warning`: it starts, and disappoints.",
        "`info`: worth knowing. `launchplan explain CODE` prints a page in the terminal.",
        "",
        "| code | name | severity | engines | what it finds |",
        "|---|---|---|---|---|",
    ]
    for rule in rules:
        cells = (
            f"[{rule.code}]({rule.code}.md)",
            rule.name,
            rule.severity.word,
            _engines(rule),
            _cell(rule.title),
        )
        lines.append(_row(cells))
    lines += ["", "## Unreadable input", "", "These end with exit code 2.", ""]
    lines += ["| code | name | what it finds |", "|---|---|---|"]
    lines += (_row((code, name, _cell(meaning))) for code, name, meaning in problems)
    return "\n".join((*lines, *_written_lines(written))) + "\n"


def _written_lines(written: Iterable[tuple[str, str, Severity, str]]) -> Iterator[str]:
    rows = [_row((code, name, severity.word, _cell(meaning))) for code, name, severity, meaning in written]
    if rows:
        yield from ("", "## Commands in files", "")
        yield "What [`launchplan lint`](../lint.md) finds beside the rules."
        yield from ("", "| code | name | severity | what it finds |", "|---|---|---|---|", *rows)


def _engines(rule: Rule) -> str:
    since, until = dict(rule.since), dict(rule.until)
    words = []
    for engine in rule.engines:
        start = f" from {since[engine]}" if engine in since else ""
        end = f" before {until[engine]}" if engine in until else ""
        words.append(f"{engine}{start}{end}")
    return ", ".join(words)


def _stops(rule: Rule) -> str:
    """Say how far a launch comes, engine by engine where they differ."""
    stops = _STOPPED_BY | ({"run": _REFUSED} if rule.severity is Severity.ERROR else {})
    words = {engine: stops[rule.at(engine)] for engine in rule.engines}
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return "; ".join(f"{engine}: {word}" for engine, word in words.items())


def _fenced(text: str, language: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.strip()}\n{fence}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())
