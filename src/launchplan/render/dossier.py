"""What a target may print of a plan: its launch, what the rules say, the memory of its ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from launchplan.engines import Launch
from launchplan.engines.budgets import DraftChoice, PoolMemory
from launchplan.finding import Finding


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a rule exists, in the words of its page."""

    title: str
    why: tuple[str, ...]
    """Paragraphs."""


@dataclass(frozen=True, slots=True)
class Background:
    """What stands behind a launch beside its commands."""

    memory: tuple[PoolMemory, ...] = ()
    """The fullest rank of each pool that could be computed."""
    reasons: Mapping[str, Reason] = field(default_factory=lambda: MappingProxyType({}))
    """By the code of a finding."""
    drafts: Mapping[str, DraftChoice] = field(default_factory=lambda: MappingProxyType({}))
    """Published ways of drafting that the plan does not use, by the role of the pool."""
    home: str = ""
    """Address of the index that the runbook belongs to, from where it lies; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one target puts into a bundle."""

    target: str
    summary: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dossier:
    """A launch with everything that is known of it, and the parts of its bundle that were made before."""

    launch: Launch
    findings: tuple[Finding, ...] = ()
    background: Background = Background()
    parts: tuple[Part, ...] = ()
