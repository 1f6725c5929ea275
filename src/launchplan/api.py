"""The public functions. Names in `__all__` stay; everything else may change.

A recipe or cluster is given as a path, as text, or as data that was already parsed.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from launchplan.engines import Launch
from launchplan.engines.budgets import PoolMemory
from launchplan.engines.compare import Change, Comparison, ProcessChanges
from launchplan.errors import InputError, RefusedError
from launchplan.finding import Finding, KeyPath, Location, Severity
from launchplan.fit.answer import Fits, Miss, Offer
from launchplan.fit.ask import fit
from launchplan.lint import (
    NO_COMMAND,
    RecipeDraft,
    Site,
    find_command,
    lint_command,
    lint_text,
    recipe_of_command,
)
from launchplan.observe import Observation, observe_pools
from launchplan.pipeline import Plan, budgets_of, comparison, make_plan, published_drafts
from launchplan.recipe import Source, load_measured
from launchplan.render import TARGETS, Background, Bundle, Reason, render_bundle
from launchplan.rules import RULES
from launchplan.source import problem

__all__ = [
    "TARGETS",
    "Bundle",
    "Change",
    "Comparison",
    "Finding",
    "Fits",
    "InputError",
    "KeyPath",
    "Location",
    "MemoryReport",
    "Miss",
    "Observation",
    "Offer",
    "Plan",
    "PoolMemory",
    "ProcessChanges",
    "RecipeDraft",
    "RefusedError",
    "Report",
    "Severity",
    "Source",
    "check",
    "diff",
    "fit",
    "lint",
    "memory",
    "observe",
    "render",
    "to_recipe",
]


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found."""

    findings: tuple[Finding, ...]
    """Worst first, then in the order of the file."""
    plan: Plan | None = field(repr=False)
    """The stages behind the findings; None when the input could not be read at all."""

    @property
    def ok(self) -> bool:
        """Whether nothing stands in the way of a launch."""
        return not any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def readable(self) -> bool:
        """Whether recipe and cluster file could be read as such."""
        return self.plan is not None


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """What the ranks of a deployment hold, and what that serves."""

    pools: tuple[PoolMemory, ...]
    """One for each pool whose model, GPU and engine settings are known: the fullest rank's."""
    plan: Plan

    @property
    def unknown(self) -> tuple[str, ...]:
        """The roles of the pools that could not be computed."""
        known = {pool.view.pool.role for pool in self.pools}
        return tuple(pool.role for pool in self.plan.resolved.pools if pool.role not in known)


def check(recipe: Source, *, cluster: Source | None = None, set: Iterable[str] = ()) -> Report:  # noqa: A002
    """Check a recipe against its model, hardware and engine version.

    `set` holds `key.path=value` overrides. Input that can't be read is reported as REC findings and a plan of
    None, not raised.
    """
    try:
        plan = make_plan(recipe, cluster, set)
    except InputError as error:
        return Report(error.findings, None)
    return Report(plan.findings, plan)


def lint(  # noqa: PLR0913 # each says something else that the command doesn't
    command: str | Sequence[str],
    *,
    gpu: str | None = None,
    nodes: int | None = None,
    gpus_per_node: int | None = None,
    engine: str | None = None,
    version: str | None = None,
    model_config: str | Path | Mapping[str, Any] | None = None,
    draft_config: str | Path | Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
    memory: bool = True,
    kind: str | None = None,
    file: str = "<command>",
) -> Report:
    """Check commands that start vLLM or SGLang: one command as its words, or a text that holds any number.

    A text may be a command line or a whole script, Markdown document, Dockerfile, compose file, Kubernetes
    manifest or systemd unit: `kind` says which, else the name `file` does, or the text itself. Findings stand
    at line and column of the word that they are about.

    The GPU, the hosts, the engine's version and the model's `config.json` (path or parsed) are what a
    command doesn't say, and so is that of a draft model which the catalog doesn't know. A model or draft
    model that is a folder of this machine is read there. Rules that need what nobody says are not run. A
    finding's `at` tells how far the launch would come. `engine` reads words that begin with the model or a
    flag as that engine's arguments. Without `memory` the verdict is that of the engine before it touches
    memory, in a fraction of the time.
    """
    site = Site(gpu, nodes, gpus_per_node, version, model_config, draft_config, memory)
    if isinstance(command, str):
        return _lint_text(command, site, engine, env or {}, kind, file)
    if any(word.startswith("-") and " " in word for word in command):
        return _lint_text(shlex.join(command), site, engine, env or {}, "shell", file)
    found = find_command(command, engine)
    if found is None:
        return _no_command(file)
    checked = lint_command(replace(found, env={**(env or {}), **found.env}), site)
    return Report(checked.findings, checked.plan)


def _lint_text(
    text: str, site: Site, engine: str | None, env: Mapping[str, str], kind: str | None, file: str
) -> Report:
    linted = lint_text(text, file, site, kind=kind, engine=engine, env=env)
    if not linted.judged and linted.readable and engine is not None and "\n" not in text.strip():
        linted = lint_text(f"{engine} serve {text}", file, site, kind="shell", engine=engine, env=env)
    if not linted.judged and not linted.findings:
        return _no_command(file)
    plans = [each.plan for each in linted.judged if each.plan is not None]
    return Report(linted.findings, plans[0] if len(linted.judged) == 1 and plans else None)


def _no_command(file: str) -> Report:
    return Report((problem("REC001", NO_COMMAND, Location(file)),), None)


def to_recipe(
    command: str | Sequence[str],
    *,
    gpu: str | None = None,
    nodes: int | None = None,
    gpus_per_node: int | None = None,
    engine: str | None = None,
    version: str | None = None,
) -> RecipeDraft:
    """Write a command line that starts vLLM or SGLang as the recipe that renders back to it.

    `text` of the result is the recipe as YAML. `engine` reads words that begin with the model or a flag as
    that engine's arguments. Raises `InputError` where there is no such command, or its parser refuses it.
    """
    return recipe_of_command(command, engine, Site(gpu, nodes, gpus_per_node, version))


def diff(
    before: Source,
    after: Source | None = None,
    *,
    set: Iterable[str] = (),  # noqa: A002
    cluster: Source | None = None,
) -> Comparison:
    """Compare two recipes, or one with itself under `key.path=value` overrides, as what is started.

    The overrides change the second. Raises `InputError` for unreadable input and `RefusedError` for a recipe
    that has no layout.
    """
    first = make_plan(before, cluster)
    second = make_plan(before if after is None else after, cluster, set)
    return comparison(first, second)


def memory(
    recipe: Source,
    *,
    cluster: Source | None = None,
    set: Iterable[str] = (),  # noqa: A002
    measured: Iterable[Source] = (),
) -> MemoryReport:
    """Compute the memory of a recipe's ranks: bytes by class as intervals, the pool, what it serves.

    `measured` holds what `Observation.kept` wrote of one pool each: its terms take the place of estimates
    where the launch is the same. Raises `InputError` for unreadable input.
    A plan with errors is computed as far as it is known.
    """
    plan = make_plan(recipe, cluster, set)
    kept = [load_measured(each) for each in measured]
    return MemoryReport(budgets_of(plan, kept), plan)


def observe(  # a recipe, a log, and what neither says
    recipe: Source,
    log_text: str,
    *,
    cluster: Source | None = None,
    set: Iterable[str] = (),  # noqa: A002
    role: str | None = None,
    name: str = "<log>",
) -> Observation:
    """Compare what an engine's log measured with what a recipe's plan says.

    `role` names the pool that the log is of where a recipe has several, `name` the log in what is kept of it.
    Raises `InputError` for unreadable input, and for a log without a figure.
    """
    return observe_pools(budgets_of(make_plan(recipe, cluster, set)), log_text, name=name, role=role)


def render(
    recipe: Source,
    *,
    targets: Iterable[str] = ("shell",),
    cluster: Source | None = None,
    set: Iterable[str] = (),  # noqa: A002
    force: bool = False,
    templates: str | None = None,
) -> Bundle:
    """Render a recipe's launch bundle in memory; the same input gives the same bytes.

    `templates` names a folder whose files replace the shipped ones. Raises `InputError` for unreadable input
    and `RefusedError` when the plan has errors, unless forced; a plan without a layout can't be forced.
    """
    plan = make_plan(recipe, cluster, set)
    if plan.launch is None or (plan.errors and not force):
        raise RefusedError(plan.errors)
    return bundle_of(plan, plan.launch, targets, templates)


def bundle_of(
    plan: Plan, launch: Launch, targets: Iterable[str], templates: str | None = None, home: str = ""
) -> Bundle:
    """Render a plan's launch with the memory of its ranks and the reasons of its findings.

    `home` is the address of an index that the runbook links to. Raises what `render_bundle` raises.
    """
    found = {finding.code for finding in plan.findings}
    reasons = {rule.code: Reason(rule.title, rule.why) for rule in RULES if rule.code in found}
    drafts = MappingProxyType(published_drafts(plan))
    background = Background(budgets_of(plan), MappingProxyType(reasons), drafts, home)
    return render_bundle(launch, plan.findings, tuple(targets), templates, background)
