"""Run the rules over the stages of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from launchplan.engines import EngineView, Launch
from launchplan.finding import Finding, Location
from launchplan.layout import Layout, PoolLayout
from launchplan.resolve import Resolved, ResolvedPool
from launchplan.rules.rule import Rule, Violation


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages of one plan; None for one that could not be built."""

    resolved: Resolved
    layout: Layout | None = None
    launch: Launch | None = None
    views: tuple[EngineView, ...] = ()
    """The head process of each pool, as its engine sees it."""

    def of(self, stage: type) -> tuple[object, ...]:
        """Give the values of a stage that a rule is to be called with."""
        if stage is Resolved:
            return (self.resolved,)
        if stage is ResolvedPool:
            return self.resolved.pools
        if stage is Layout:
            return (self.layout,) if self.layout else ()
        if stage is PoolLayout:
            return self.layout.pools if self.layout else ()
        if issubclass(stage, EngineView):
            return tuple(view for view in self.views if isinstance(view, stage))
        return (self.launch,) if self.launch else ()


def run(rules: Iterable[Rule], stages: Stages) -> tuple[tuple[Finding, ...], tuple[Rule, ...]]:
    """Run every rule that speaks about this engine version.

    Returns the findings, worst first and then in the order of the file, and the rules that were not run.
    """
    deployment = stages.resolved.deployment
    findings: list[Finding] = []
    not_run: list[Rule] = []
    for rule in rules:
        if not rule.applies(deployment.engine, deployment.version):
            continue
        values = stages.of(rule.stage)
        if not values:
            not_run.append(rule)
        for value in values:
            findings += _findings(rule, stages.resolved, rule.check(value))
    return tuple(sorted(dict.fromkeys(findings), key=_order)), tuple(not_run)


def _findings(rule: Rule, resolved: Resolved, violations: Iterator[Violation]) -> Iterator[Finding]:
    deployment = resolved.deployment
    for violation in violations:
        yield Finding(
            code=rule.code,
            name=rule.name,
            severity=rule.severity,
            message=violation.message,
            path=violation.path,
            location=_locate(resolved, violation),
            fix=violation.fix,
            engine=deployment.engine_label,
            source=violation.source or rule.source(deployment.engine),
            at=violation.at or rule.at(deployment.engine),
        )


def _locate(resolved: Resolved, violation: Violation) -> Location:
    deployment = resolved.deployment
    if violation.path[:1] == ("cluster",) and deployment.cluster is not None:
        return deployment.cluster.document.locate(violation.path[1:])
    return deployment.recipe.document.locate(violation.path)


def _order(finding: Finding) -> tuple[int, str, int, int, str]:
    place = finding.location
    file, line, column = (place.file, place.line or 0, place.column or 0) if place else ("", 0, 0)
    return -finding.severity, file, line, column, finding.code
