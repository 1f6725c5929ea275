"""The runbook's facts: what the deployment is, what the site gives, how it starts, stops and fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.engines import Launch
from launchplan.engines.launch import text
from launchplan.finding import Finding
from launchplan.layout import PoolLayout
from launchplan.render.filters import longest_ticks
from launchplan.render.shell.failures import Failure, failures
from launchplan.render.shell.scripts import LOCAL_CACHE, Script
from launchplan.resolve import Deployment
from launchplan.units import bytes_text, plural

_EVIDENCE = {
    "verified": "verified: whoever wrote the recipe ran it",
    "documented": "documented: others published that they ran it",
    "derived": "derived: computed from the model's and the hardware's figures; nobody has run it",
}
_LINKS = {"network": "cross the network", "domain": "stay in one NVLink domain of several hosts"}


@dataclass(frozen=True, slots=True)
class Fact:
    """One row of a table."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class SiteValue:
    """A value that only the site knows."""

    variable: str
    meaning: str
    scripts: str
    """Which scripts need it."""


@dataclass(frozen=True, slots=True)
class Runbook:
    """What the runbook says beside the commands."""

    summary: str
    facts: tuple[Fact, ...]
    sites: tuple[SiteValue, ...]
    exports: tuple[str, ...]
    """The variables among them that have no default."""
    first: str
    """The process that starts first."""
    start: tuple[str, ...]
    expect: tuple[str, ...]
    stop: tuple[str, ...]
    findings: tuple[Fact, ...]
    failures: tuple[Failure, ...]
    ticks: int
    """Length of the fences around commands: longer than any run of backticks in them."""

    @property
    def has_sites(self) -> bool:
        """Whether the site gives anything."""
        return bool(self.sites)

    @property
    def has_findings(self) -> bool:
        """Whether the rules have anything to say."""
        return bool(self.findings)

    @property
    def has_failures(self) -> bool:
        """Whether failures of this shape are known."""
        return bool(self.failures)


def runbook(launch: Launch, scripts: tuple[Script, ...], findings: tuple[Finding, ...]) -> Runbook:
    """Collect what the runbook of a launch says."""
    deployment = launch.layout.resolved.deployment
    recipe = deployment.recipe.value
    values = [value for process in launch.processes for value in process.argv]
    values += [each.value for process in launch.processes for each in process.env]
    values += [text(launch.model_name), *(each.value for each in launch.env)]
    longest = max(longest_ticks(part) for value in values for part in value if isinstance(part, str))
    return Runbook(
        summary=recipe.summary or f"{deployment.checkpoint} with {deployment.engine_label}",
        facts=tuple(_facts(launch)),
        sites=tuple(_sites(launch, scripts)),
        exports=tuple(site.variable for site in launch.sites() if site.variable != LOCAL_CACHE),
        first=launch.processes[0].name,
        start=tuple(_start(launch)),
        expect=tuple(_expect(launch)),
        stop=tuple(_stop(launch)),
        findings=tuple(_finding(finding) for finding in findings),
        failures=failures(launch),
        ticks=max(3, longest + 1),
    )


def _facts(launch: Launch) -> Iterator[Fact]:
    deployment = launch.layout.resolved.deployment
    recipe = deployment.recipe.value
    facts = deployment.checkpoint_facts
    known = [facts.format, *([bytes_text(facts.bytes)] if facts.bytes else [])] if facts else []
    yield Fact("model", deployment.model.id if deployment.model else recipe.model)
    yield Fact(
        "checkpoint", f"{deployment.checkpoint} ({', '.join(known)})" if known else deployment.checkpoint
    )
    yield Fact("served as", launch.model_name)
    yield Fact("engine", deployment.engine_label)
    for pool in launch.layout.pools:
        side = "" if pool.pool.role == "serve" else f"{pool.pool.role} "
        yield Fact(f"{side}hardware", _hardware(pool))
        yield Fact(f"{side}layout", _layout(pool))
    if deployment.cluster is not None:
        yield Fact("cluster", deployment.cluster.value.name)
    yield from _evidence(deployment)


def _hardware(layout: PoolLayout) -> str:
    pool = layout.pool
    gpu = pool.gpu.name if pool.gpu else pool.gpu_name
    fabric = f", {pool.fabric.name}" if pool.fabric and pool.nodes > 1 else ""
    copies = f", {plural(pool.replicas, 'instance')}" if pool.replicas > 1 else ""
    return f"{plural(pool.nodes, 'node')} with {layout.ranks_per_node} x {gpu}{fabric}{copies}"


def _layout(layout: PoolLayout) -> str:
    parallel = layout.pool.parallel
    sizes = {name: getattr(parallel, name) for name in ("tp", "pp", "dp", "ep", "dcp")}
    parts = [", ".join(f"{name} {size}" for name, size in sizes.items() if size > 1) or "one GPU"]
    for link, what in _LINKS.items():
        kinds = [kind for kind in layout.groups if layout.link(kind) == link]
        parts += [f"{', '.join(kinds)} groups {what}"] if kinds else []
    return "; ".join(parts)


def _evidence(deployment: Deployment) -> Iterator[Fact]:
    evidence = deployment.evidence
    if evidence is None:
        yield Fact("evidence", "none: the recipe names nobody who ran this layout")
        return
    yield Fact("evidence", _EVIDENCE[evidence.status])
    if evidence.source:
        looked = f", looked at {evidence.checked}" if evidence.checked else ""
        yield Fact("source", f"{evidence.source}{looked}")
    for name, value in evidence.figures.items():
        yield Fact("figure", f"{name}: {value}")
    if evidence.note:
        yield Fact("left open", evidence.note)


def _sites(launch: Launch, scripts: tuple[Script, ...]) -> Iterator[SiteValue]:
    for site in launch.sites():
        optional = "; left out: /tmp/launchplan-$UID" if site.variable == LOCAL_CACHE else ""
        used = [f"{script.name}.sh" for script in scripts if site.variable in script.sites]
        where = "all scripts of processes" if len(used) == len(scripts) > 1 else ", ".join(used)
        yield SiteValue(site.variable, f"{site.hint}{optional}", where)


def _start(launch: Launch) -> Iterator[str]:
    layouts = launch.layout.pools
    if any(layout.pool.nodes > 1 for layout in layouts):
        yield "Start the head, then its followers. They wait for one another; none of them works alone."
    if len(layouts) > 1:
        yield "Start the router when every prefill and decode instance answers."


def _expect(launch: Launch) -> Iterator[str]:
    deployment = launch.layout.resolved.deployment
    facts = deployment.checkpoint_facts
    if facts is not None and facts.bytes is not None:
        yield f"Most of the start is reading {bytes_text(facts.bytes)} of weights."
    if deployment.engine == "vllm":
        limit = _engine_timeout(launch)
        if limit is not None:
            yield (
                f"The API server gives up on an engine that is not ready after {limit} s "
                "(VLLM_ENGINE_READY_TIMEOUT_S)."
            )
    if any(layout.pool.nodes > 1 for layout in launch.layout.pools):
        yield "Only the head serves the API. Live processes say nothing about readiness."
    if deployment.engine == "sglang":
        yield "The first request is slow: kernels are compiled for it."


def _engine_timeout(launch: Launch) -> str | None:
    variable = "VLLM_ENGINE_READY_TIMEOUT_S"
    given = [each.value for each in (*launch.env, *launch.processes[0].env) if each.name == variable]
    if given:
        return "".join(part for part in given[-1] if isinstance(part, str))
    facts = launch.layout.resolved.deployment.facts
    known = facts.variable(variable) if facts else None
    return str(known.default) if known is not None and known.default is not None else None


def _stop(launch: Launch) -> Iterator[str]:
    engine = launch.layout.resolved.deployment.engine
    yield "Each script becomes its process, so Ctrl-C or SIGTERM to it reaches the engine."
    if any(layout.pool.nodes > 1 for layout in launch.layout.pools):
        yield (
            "A headless follower stays when the head has ended: stop every node."
            if engine == "vllm"
            else "The head takes up to half a minute to end, and its followers end after it."
        )
        yield "A process that hung at its start may not end on SIGTERM; kill it."
        yield "A node cannot join again: after the loss of one, stop all nodes and start all of them."
    if len(launch.layout.pools) > 1:
        yield "Stop the router first, so that no request is lost half way."


def _finding(finding: Finding) -> Fact:
    fix = f"; fix: {finding.fix}" if finding.fix else ""
    at = f" ({finding.key})" if finding.key else ""
    return Fact(f"{finding.severity.word} {finding.code}", f"{finding.message}{at}{fix}")
