"""A flag that the release takes with a warning, and the next ones don't.

## Why

Engines announce the end of a flag for a few releases. A command that is kept in a runbook breaks with the
upgrade.

## Fix

What the rule names.

## References

- vLLM 0.9 `--enable-reasoning`: implied by `--reasoning-parser`, gone in 0.10; speakleash/bielik-tools
  issue 11
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.past import unread
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.versions import reaches

DEPRECATED = {"--enable-reasoning": ("0.9.0", "0.10.0", "leave it out: --reasoning-parser implies it")}
"""Flags with the release that warns first, the one without them, and what stands for them."""


@rule(
    "ENG406",
    "flags-deprecated",
    severity=WARNING,
    engines=("vllm",),
    source="speakleash/bielik-tools issue 11",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for flags on their way out."""
    version = view.pool.deployment.version
    for flag, (first, gone, fix) in DEPRECATED.items():
        if unread(view, flag) is not None and reaches(version, first) and not reaches(version, gone):
            yield Violation(f"{flag} is deprecated; vllm {gone} does not have it", ("args",), fix)
