"""One recipe of the index: what it deploys, on what, and whether it holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from launchplan.finding import Finding, Severity
from launchplan.resolve import Resolved


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index shows of one file."""

    file: str
    """Its path below the folder, with `/`."""
    name: str
    summary: str
    model: str
    gpu: str
    gpus: str
    """How many GPUs of which kind, over how many nodes."""
    engine: str
    evidence: str
    state: str
    """`clean`, `warnings`, `refused` by the rules, or `unreadable`."""
    problems: tuple[str, ...]
    """Errors and warnings, with their place in the file."""

    @property
    def readable(self) -> bool:
        """Whether the file is a recipe."""
        return self.state != "unreadable"

    @property
    def has_problems(self) -> bool:
        """Whether the rules complain, or the file cannot be read."""
        return bool(self.problems)


def unreadable_entry(file: str, findings: Iterable[Finding]) -> Entry:
    """Show a file that cannot be read as a recipe."""
    return Entry(file, file, "", "", "", "", "", "", "unreadable", _problems(findings))


def readable_entry(file: str, resolved: Resolved, findings: tuple[Finding, ...]) -> Entry:
    """Show a recipe that could be read, whatever the rules say of it."""
    deployment = resolved.deployment
    recipe = deployment.recipe.value
    worst = max((finding.severity for finding in findings), default=Severity.INFO)
    states = {Severity.ERROR: "refused", Severity.WARNING: "warnings"}
    pools = resolved.pools
    kinds = sorted({pool.gpu.name if pool.gpu else pool.gpu_name for pool in pools})
    count = sum(pool.world * pool.replicas for pool in pools)
    nodes = sum(pool.nodes * pool.replicas for pool in pools)
    return Entry(
        file=file,
        name=recipe.name,
        summary=recipe.summary or "",
        model=deployment.model.id if deployment.model else recipe.model,
        gpu=" and ".join(kinds),
        gpus=f"{count} x {' and '.join(kinds)}" + (f" on {nodes} nodes" if nodes > 1 else ""),
        engine=deployment.engine_label,
        evidence=deployment.evidence.status if deployment.evidence else "none",
        state=states.get(worst, "clean"),
        problems=_problems(finding for finding in findings if finding.severity is not Severity.INFO),
    )


def _problems(findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(_problem(finding) for finding in findings)


def _problem(finding: Finding) -> str:
    place = finding.location
    at = f"line {place.line}: " if place is not None and place.line else ""
    fix = f"; fix: {finding.fix}" if finding.fix else ""
    return f"{at}{finding.severity.word} {finding.code}: {finding.message}{fix}"
