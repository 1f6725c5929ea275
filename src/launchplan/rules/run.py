"""Run the rules over the stages of a plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

from launchplan.engines import EngineView, Launch, PoolViews
from launchplan.finding import Finding, Location, Severity, worst_first
from launchplan.layout import Layout, PoolLayout
from launchplan.memo import kept_by_identity
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
        if stage is PoolViews:
            return (PoolViews(self.views),) if len(self.views) == len(self.resolved.pools) else ()
        if issubclass(stage, EngineView):
            return tuple(view for view in self.views if isinstance(view, stage))
        return (self.launch,) if self.launch else ()


def run(rules: tuple[Rule, ...], stages: Stages) -> tuple[tuple[Finding, ...], tuple[Rule, ...]]:
    """Run every rule that speaks about this engine version.

    Returns the findings, worst first and then in the order of the file, and the rules that were not run.
    """
    deployment = stages.resolved.deployment
    applying = _applying(rules, deployment.engine, deployment.version)
    values = {stage: stages.of(stage) for stage in applying.stages}
    findings = _run(applying.first, values, stages.resolved)
    if not _is_refused(findings):  # what an engine refuses has no memory to speak of
        findings += _run(applying.about_memory, values, stages.resolved)
    not_run = tuple(rule for rule in (*applying.first, *applying.about_memory) if not values[rule.stage])
    return worst_first(_unquoted(findings)), not_run


def _run(
    rules: tuple[Rule, ...], values: dict[type, tuple[object, ...]], resolved: Resolved
) -> list[Finding]:
    findings: list[Finding] = []
    for rule in rules:
        for value in values[rule.stage]:
            for violation in rule.check(value):
                # Most rules find nothing: a generator for each would cost more than it saves.
                findings.append(_finding(rule, resolved, violation))  # noqa: PERF401
    return findings


def _is_refused(findings: list[Finding]) -> bool:
    """Tell whether an engine refuses the launch before memory matters."""
    return any(each.severity is Severity.ERROR and each.at not in {"memory", "run"} for each in findings)


def _unquoted(findings: list[Finding]) -> list[Finding]:
    """Keep a line out of every report on it when one of its findings must not be quoted."""
    hidden = {_line(finding) for finding in findings if not finding.quotable}
    if not hidden:
        return findings
    return [replace(each, quotable=each.quotable and _line(each) not in hidden) for each in findings]


def _line(finding: Finding) -> tuple[str, int | None] | None:
    return (finding.location.file, finding.location.line) if finding.location else None


@dataclass(frozen=True, slots=True)
class _Applying:
    """The rules about one engine version."""

    first: tuple[Rule, ...]
    about_memory: tuple[Rule, ...]
    stages: tuple[type, ...]


@kept_by_identity
def _applying(rules: tuple[Rule, ...], engine: str, version: str) -> _Applying:
    """Pick the rules about an engine version."""
    picked = [rule for rule in rules if rule.applies(engine, version)]
    first = tuple(rule for rule in picked if rule.at(engine) != "memory")
    last = tuple(rule for rule in picked if rule.at(engine) == "memory")
    return _Applying(first, last, tuple({rule.stage for rule in picked}))


def _finding(rule: Rule, resolved: Resolved, violation: Violation) -> Finding:
    deployment = resolved.deployment
    return Finding(
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
        quotable=violation.quotable,
    )


def _locate(resolved: Resolved, violation: Violation) -> Location:
    deployment = resolved.deployment
    if violation.path[:1] == ("cluster",) and deployment.cluster is not None:
        return deployment.cluster.document.locate(violation.path[1:])
    return deployment.recipe.document.locate(violation.path)
