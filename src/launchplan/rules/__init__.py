"""The rules, and what runs them."""

from __future__ import annotations

from launchplan.rules import (
    disaggregation,
    engine,
    facts,
    formats,
    memory,
    network,
    operations,
    parallel,
    speculative,
)
from launchplan.rules.rule import Rule, Violation

__all__ = ["RULES", "Rule", "Violation"]

RULES: tuple[Rule, ...] = (
    *facts.RULES,
    *parallel.RULES,
    *memory.RULES,
    *formats.RULES,
    *engine.RULES,
    *speculative.RULES,
    *disaggregation.RULES,
    *network.RULES,
    *operations.RULES,
)
"""Every rule, family by family, in the order of the codes."""
