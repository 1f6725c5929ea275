"""Check one command: read its arguments, say them as a recipe, run the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from launchplan import catalog
from launchplan.catalog import Ambiguous
from launchplan.engines.arguments import Arguments, Refusal, Word
from launchplan.engines.reading import read_words
from launchplan.engines.views import make_view
from launchplan.errors import InputError
from launchplan.finding import Finding, KeyPath, Location, Severity
from launchplan.layout import place
from launchplan.lint.command import Command
from launchplan.lint.recipe import Translation, recipe_of
from launchplan.pipeline import Plan, plan_of
from launchplan.recipe import load_recipe
from launchplan.resolve import engine_version, local_config, resolve
from launchplan.rules import RULES
from launchplan.rules.engine.command_parses import violation_of
from launchplan.rules.flag_names import ambiguous_flag, unknown_flag

ABOUT_RECIPES = ("FAC", "OPS", "REC")
"""Families that speak of how a recipe is written and of what it claims; a command claims nothing."""
COMMAND_RULES = tuple(rule for rule in RULES if not rule.code.startswith(ABOUT_RECIPES))
VERDICT_RULES = tuple(rule for rule in COMMAND_RULES if not rule.code.startswith("MEM"))
"""The rules that an engine decides by before it touches memory."""

NO_MODEL = "model"
"""Stands in the recipe of a command that does not say what it loads."""
MOST_REFUSALS = 20
"""Words that a parser refuses and that are told; more say nothing new."""
MOST_LETTERS = 100
"""Letters of a word that are compared with known flags."""
ABOUT_HOSTS = ("PAR106",)
"""Rules that compare ranks with the GPUs of all hosts."""


@dataclass(frozen=True, slots=True)
class Site:
    """What the command does not say itself."""

    gpu: str | None = None
    nodes: int | None = None
    gpus_per_node: int | None = None
    version: str | None = None
    model_config: str | Path | Mapping[str, Any] | None = None
    draft_config: str | Path | Mapping[str, Any] | None = None
    memory: bool = True
    """Whether the memory of the fullest rank is computed and judged as well."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check of a command found; no plan when its parser refuses it."""

    findings: tuple[Finding, ...]
    plan: Plan | None
    words: Mapping[KeyPath, int] = field(default_factory=dict)
    """Index of the word that each path of a finding comes from."""


def lint_command(command: Command, site: Site) -> Checked:
    """Check a command by every rule that a recipe would get and that says something of a command."""
    version = engine_version(command.engine, site.version)
    arguments = read_words(command.engine, version, command.words)
    if arguments is None:
        return Checked((_unknown_version(command.engine, version),), None)
    if arguments.refusal is not None:
        return _refused(arguments, command, version)
    translation = recipe_of(arguments)
    try:
        plan = _plan(arguments, translation, command, site, version)
    except InputError as error:
        return Checked(tuple(_in_command(finding) for finding in error.findings), None, translation.words)
    late = ABOUT_HOSTS if _hosts_unsaid(command, translation, site) else ()
    found = (replace(finding, at="run") if finding.code in late else finding for finding in plan.findings)
    return Checked(tuple(_in_command(finding) for finding in found), plan, translation.words)


def _refused(arguments: Arguments, command: Command, version: str) -> Checked:
    """Tell every word that the parser refuses: each is left out, and the rest read again."""
    findings: list[Finding] = []
    places: dict[KeyPath, int] = {}
    words = command.words
    read: Arguments | None = arguments
    for _ in range(MOST_REFUSALS):
        if read is None or read.refusal is None:
            break
        finding = _refusal(read.refusal, read, command, version)
        index = read.refusal.index
        if finding not in findings:
            findings.append(finding)
        if index is None:
            break
        places.setdefault(finding.path, index)
        rest = _without(words, index)
        if len(rest) == len(words):
            break
        words = rest
        read = read_words(command.engine, version, words)
    return Checked(tuple(findings), None, places)


def _without(words: Sequence[Word], index: int) -> tuple[Word, ...]:
    """Leave out a flag with its values, or a word that belongs to none."""
    start = next((i for i, word in enumerate(words) if word.index == index), len(words))
    end = start + 1
    if words[start:end] and words[start].text.startswith("-"):
        while end < len(words) and not words[end].text.startswith("-"):
            end += 1
    return (*words[:start], *words[end:])


def _hosts_unsaid(command: Command, translation: Translation, site: Site) -> bool:
    """Tell whether nobody says how many hosts there are, which SGLang takes for one.

    vLLM itself compares a command without `--nnodes` with the GPUs that it sees; SGLang starts, and a rank
    finds no GPU (`utils/common.py:436`) long after its arguments were taken.
    """
    return command.engine == "sglang" and translation.nodes is None and site.nodes is None


def _plan(arguments: Arguments, translation: Translation, command: Command, site: Site, version: str) -> Plan:
    recipe = load_recipe(_recipe(arguments, translation, command, site, version))
    elsewhere = local_config(recipe.value.model, Path()) is None
    resolved = resolve(recipe, None, site.model_config, site.draft_config, elsewhere=elsewhere)
    (pool,) = resolved.pools
    paths = _paths(arguments, translation)
    view = make_view(pool, arguments, dict(command.env), paths)
    return plan_of(resolved, place(resolved), None, (view,), COMMAND_RULES if site.memory else VERDICT_RULES)


def _paths(arguments: Arguments, translation: Translation) -> dict[str, KeyPath]:
    by_word = {index: path for path, index in translation.words.items()}
    return {name: by_word[index] for name, index in arguments.given.items() if index in by_word}


def _recipe(
    arguments: Arguments, translation: Translation, command: Command, site: Site, version: str
) -> dict[str, Any]:
    hardware = {
        "gpu": site.gpu or "unknown",
        "nodes": translation.nodes or site.nodes or 1,
        "gpus_per_node": site.gpus_per_node,
    }
    return {
        "launchplan": 1,
        "name": "command",
        "model": str(arguments["model_tag"] or arguments["model_path"] or NO_MODEL),
        "engine": {"name": command.engine, "version": version},
        "hardware": {key: value for key, value in hardware.items() if value is not None},
        **{key: value for key, value in translation.sections.items() if value},
        "env": dict(command.env),
    }


def _in_command(finding: Finding) -> Finding:
    # The recipe was made on the way; its keys name what the command says, its lines don't exist.
    return Finding(
        finding.code, finding.name, finding.severity, finding.message, finding.path, Location("<command>"),
        finding.fix, finding.engine, finding.source, finding.at or "config",
    )  # fmt: skip


def _refusal(refusal: Refusal, arguments: Arguments, command: Command, version: str) -> Finding:
    facts = arguments.facts
    name = refusal.flag.name if refusal.flag else None
    said = violation_of(refusal, ())
    message, fix = said.message, said.fix
    unknown = (refusal.unknown or "").partition("=")[0]
    found = facts.match(unknown) if unknown else None
    if isinstance(found, Ambiguous):
        message, fix = ambiguous_flag(command.engine, version, unknown, found)
    elif unknown.startswith("-"):
        message, fix = unknown_flag(command.engine, version, unknown, facts.nearest(unknown[:MOST_LETTERS]))
    code, rule = ("ENG101", "flag-known") if refusal.unknown else ("ENG103", "flag-value")
    return Finding(
        code, rule, Severity.ERROR, message, ("args", (refusal.unknown or name or "").lstrip("-")),
        Location("<command>"), fix, f"{command.engine} {version}", "the engine's argument parser", "parse",
    )  # fmt: skip


def _unknown_version(engine: str, version: str) -> Finding:
    oldest = catalog.versions(engine)[0]
    message = f"no flags are known for {engine} {version}; the oldest known release is {oldest}"
    return Finding("FAC105", "engine-version-known", Severity.INFO, message, (), Location("<command>"))
