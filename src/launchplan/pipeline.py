"""The order of the stages; the only module that knows it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from launchplan.catalog import Speculative
from launchplan.engines import EngineView, Launch, build_launch, head_views
from launchplan.engines.budgets import DraftChoice, PoolMemory, held_memory, pool_memory
from launchplan.engines.compare import Comparison, Side, compare
from launchplan.errors import InputError, RefusedError
from launchplan.finding import Finding, Severity, dotted
from launchplan.layout import Layout, place
from launchplan.memory.capacity import Choice
from launchplan.recipe import (
    Cluster,
    Loaded,
    MeasuredFile,
    MeasuredPool,
    Recipe,
    Source,
    changed,
    load_cluster,
    load_recipe,
)
from launchplan.resolve import Resolved, ResolvedPool, resolve
from launchplan.rules import RULES, Rule
from launchplan.rules.run import Stages, run
from launchplan.source import problem


@dataclass(frozen=True, slots=True)
class Plan:
    """Every stage of one deployment as far as it could be built, and what the rules say of it."""

    recipe: Loaded[Recipe] = field(repr=False)
    cluster: Loaded[Cluster] | None = field(repr=False)
    resolved: Resolved = field(repr=False)
    layout: Layout | None = field(repr=False)
    launch: Launch | None = field(repr=False)
    views: tuple[EngineView, ...] = field(repr=False)
    """The head process of each pool, as its engine sees it."""
    findings: tuple[Finding, ...]
    not_run: tuple[Rule, ...] = field(repr=False)
    """Rules whose stage could not be built."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that stand in the way of a launch."""
        return tuple(finding for finding in self.findings if finding.severity is Severity.ERROR)


def make_plan(recipe: Source, cluster: Source | None = None, settings: Iterable[str] = ()) -> Plan:
    """Take a recipe through all stages; raise `InputError` when a file can't be read as what it should be."""
    loaded = load_recipe(recipe, settings)
    return _plan(loaded, load_cluster(cluster) if cluster is not None else None)


def _plan(recipe: Loaded[Recipe], cluster: Loaded[Cluster] | None) -> Plan:
    return plan_from(resolve(recipe, cluster))


def plan_from(resolved: Resolved) -> Plan:
    """Take a resolved recipe through the stages that are left."""
    stages = stages_from(resolved)
    return plan_of(stages.resolved, stages.layout, stages.launch, stages.views)


def replan(plan: Plan, settings: Iterable[str]) -> Plan:
    """Plan the same recipe with further `--set` settings; raise `InputError` as `make_plan` does."""
    return _plan(changed(plan.recipe, settings), plan.cluster)


def stages_of(
    recipe: Loaded[Recipe], cluster: Loaded[Cluster] | None = None, *, heads_only: bool = False
) -> Stages:
    """Build every stage of a recipe that can be built, without a word of the rules.

    With `heads_only` the launch has no followers: enough for rules about what an engine is told.
    """
    return stages_from(resolve(recipe, cluster), heads_only=heads_only)


def stages_from(resolved: Resolved, *, heads_only: bool = False) -> Stages:
    """Build the other stages of a resolved recipe, as `stages_of` does."""
    layout = place(resolved)
    launch = build_launch(layout, heads_only=heads_only) if layout is not None else None
    return Stages(resolved, layout, launch, head_views(resolved, launch))


def plan_of(
    resolved: Resolved,
    layout: Layout | None,
    launch: Launch | None,
    views: tuple[EngineView, ...],
    rules: tuple[Rule, ...] = RULES,
) -> Plan:
    """Run the rules over stages that were built already."""
    deployment = resolved.deployment
    findings, not_run = run(rules, Stages(resolved, layout, launch, views))
    return Plan(deployment.recipe, deployment.cluster, resolved, layout, launch, views, findings, not_run)


def budgets_of(plan: Plan, measured: Iterable[Loaded[MeasuredFile]] = ()) -> tuple[PoolMemory, ...]:
    """Compute the memory of the fullest rank of each pool; without those whose model or GPU is not known.

    What another setting would change is told only where the rules take it. What logs measured takes the place
    of estimates where the launch is still the same.
    """
    kept: dict[str, MeasuredPool] = {}
    known = {pool.role for pool in plan.resolved.pools}
    for each in measured:
        for index, pool in enumerate(each.value.pools):
            if pool.role not in known:
                message = f"pool {pool.role} was measured; the recipe has {', '.join(sorted(known))}"
                path = ("pools", index, "role")
                raise InputError((problem("REC008", message, each.document.locate(path), path),))
            kept[pool.role] = pool
    return tuple(
        replace(held, choices=tuple(choice for choice in held.choices if _is_taken(plan, held, choice)))
        for held in pool_memory(plan.views, kept)
    )


def _is_taken(plan: Plan, memory: PoolMemory, choice: Choice) -> bool:
    """Plan the recipe with another setting, on as many nodes as it needs then."""
    key, _, value = choice.name.partition(": ")
    path = dotted(memory.view.pool.path(*key.split(".")))
    try:
        other = _plan(changed(plan.recipe, [f"{path}={value}"]), plan.cluster)
        pool = next(each for each in other.resolved.pools if each.role == memory.view.pool.role)
        nodes = -(-pool.world // (pool.gpus_per_node or pool.world))
        if nodes > pool.nodes:
            share = dotted(pool.path("hardware", "nodes"))
            other = _plan(changed(plan.recipe, [f"{path}={value}", f"{share}={nodes}"]), plan.cluster)
    except InputError:
        return False
    return not any(finding.code not in _ABOUT_HOSTS for finding in other.errors)


def published_drafts(plan: Plan) -> dict[str, DraftChoice]:
    """Find the first published drafting that the rules take, for each pool that decodes without any."""
    model = plan.resolved.deployment.model
    published = [each for each in model.speculative if each.method] if model is not None else []
    found: dict[str, DraftChoice] = {}
    for pool in plan.resolved.pools if published else ():
        if pool.role == "prefill" or pool.speculative is not None:
            continue
        tried = (_with_draft(plan, pool, each) for each in published)
        choice = next((each for each in tried if each is not None), None)
        if choice is not None:
            found[pool.role] = choice
    return found


def _with_draft(plan: Plan, pool: ResolvedPool, published: Speculative) -> DraftChoice | None:
    """Plan the recipe with a way of drafting; None where the rules refuse it."""
    keys = ("method", "tokens", "model", "options")
    section = {key: value for key in keys if (value := getattr(published, key))}
    setting = json.dumps(section)
    try:
        other = replan(plan, [f"{dotted(pool.path('speculative'))}={setting}"])
    except InputError:
        return None
    old = {(each.code, each.message) for each in plan.errors}
    if any((each.code, each.message) not in old for each in other.errors):
        return None
    view = next((each for each in other.views if each.pool.role == pool.role), None)
    held = held_memory(view) if view is not None else None
    return DraftChoice(setting, published.tokens, held.bound if held else None)


_ABOUT_HOSTS = frozenset({"NET103"})
"""Errors of a cluster file that has fewer hosts than a larger layout takes."""


def comparison(before: Plan, after: Plan) -> Comparison:
    """Compare what two plans start; raises `RefusedError` for a plan without a layout."""
    return compare(_side(before), _side(after))


def _side(plan: Plan) -> Side:
    if plan.launch is None:
        raise RefusedError(plan.errors)
    deployment = plan.resolved.deployment
    label = f"{deployment.recipe.value.name}: {deployment.engine_label}"
    return Side(label, deployment.engine, deployment.facts, plan.launch, plan.views)
