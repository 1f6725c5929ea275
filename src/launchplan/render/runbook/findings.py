"""What the rules say of the plan, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from launchplan.finding import Finding
from launchplan.render.dossier import Reason


@dataclass(frozen=True, slots=True)
class Said:
    """A finding with its explanation."""

    severity: str
    code: str
    text: str
    source: str
    reason: tuple[str, ...]

    @property
    def has_source(self) -> bool:
        """Whether something enforces it outside launchplan."""
        return bool(self.source)

    @property
    def has_reason(self) -> bool:
        """Whether its rule explains itself."""
        return bool(self.reason)


def said(finding: Finding, reasons: Mapping[str, Reason]) -> Said:
    """Print a finding; `reasons` are those of the rules, by code."""
    fix = f"; fix: {finding.fix}" if finding.fix else ""
    at = f" ({finding.key})" if finding.key else ""
    reason = reasons.get(finding.code, Reason("", ()))
    text = f"{finding.message}{at}{fix}"
    return Said(finding.severity.word, finding.code, text, finding.source or "", reason.why)
