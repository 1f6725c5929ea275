"""What a rule is, and how it is run.

A rule is one function in one file. It takes the stage that it needs (`Resolved`, `ResolvedPool`, `Layout`,
`PoolLayout`, `Launch`, an engine's own `EngineView`, or the `PoolViews` of all pools) and yields
`Violation`s: a message, the recipe's key path, the smallest cure. It knows nothing of files and lines. A
stage that couldn't be built leaves its rules not run, and said so.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_type_hints

from launchplan.catalog.version import version_key
from launchplan.engines import EngineView, Launch, PoolViews
from launchplan.finding import KeyPath, Severity
from launchplan.layout import Layout, PoolLayout
from launchplan.resolve import Resolved, ResolvedPool

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
Enforced = Literal["parse", "config", "worker", "memory", "run"]
"""How far a launch comes before the rule stops it: the argument parser, the engine's configuration checks,
the workers that build the model, the memory that weights and KV cache need, or nothing that refuses it (it
hangs, fails requests, or disappoints)."""
STAGES: tuple[type, ...] = (Resolved, ResolvedPool, Layout, PoolLayout, Launch, EngineView, PoolViews)


@dataclass(frozen=True, slots=True)
class Violation:
    """What a rule found."""

    message: str
    """What is, what the limit is; with the arithmetic."""
    path: KeyPath
    """The recipe's key that it is about."""
    fix: str | None = None
    """The smallest cure."""
    source: str | None = None
    """What enforces it here, where that differs from the rule's own citation."""
    at: Enforced | None = None
    """How far the launch comes here, where that differs from the rule's own."""
    quotable: bool = True
    """Whether a report may show the line; not where a secret stands in it."""


Check = Callable[[Any], Iterator[Violation]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A check with everything that reports and docs say about it."""

    code: str
    name: str
    severity: Severity
    check: Check
    stage: type
    doc: str
    """The module's docstring: title, Why, Fix, References."""
    engines: tuple[str, ...]
    since: tuple[tuple[str, str], ...]
    """First version that enforces it, by engine; absent: every version that is checked."""
    until: tuple[tuple[str, str], ...]
    """First version that does not any more, by engine."""
    sources: tuple[tuple[str, str], ...]
    """Where each engine enforces it."""
    stages: tuple[tuple[str, Enforced], ...]
    """How far a launch comes, by engine."""

    def at(self, engine: str) -> Enforced:
        """Tell how far a launch comes before the rule stops it."""
        stages = dict(self.stages)
        return stages.get(engine) or stages.get("") or "run"

    @property
    def title(self) -> str:
        """The first line of the rule's page."""
        return self.doc.strip().splitlines()[0]

    @property
    def why(self) -> tuple[str, ...]:
        """The paragraphs of the page's section Why, each in one line."""
        _, _, rest = self.doc.partition("## Why")
        section, _, _ = rest.partition("\n## ")
        return tuple(" ".join(part.split()) for part in section.strip().split("\n\n") if part.strip())

    def source(self, engine: str) -> str | None:
        """Give the place that enforces the rule in an engine."""
        return dict(self.sources).get(engine) or dict(self.sources).get("")

    def applies(self, engine: str, version: str) -> bool:
        """Tell whether this engine version is one that the rule speaks about."""
        if engine not in self.engines:
            return False
        since, until = dict(self.since).get(engine), dict(self.until).get(engine)
        # A name such as `nightly` has no number: it is newer than every release.
        release = version_key(version) or (1_000_000,)
        started = since is None or release >= version_key(since)
        return started and (until is None or release < version_key(until))


def rule(
    code: str,
    name: str,
    *,
    severity: Severity,
    engines: tuple[str, ...] = ("vllm", "sglang"),
    since: dict[str, str] | None = None,
    until: dict[str, str] | None = None,
    source: dict[str, str] | str | None = None,
    at: dict[str, Enforced] | Enforced = "run",
) -> Callable[[Check], Rule]:
    """Make a rule of a check function; its stage is the type of the function's argument."""

    def wrap(check: Check) -> Rule:
        module = inspect.getmodule(check)
        hints = {key: hint for key, hint in get_type_hints(check).items() if key != "return"}
        (stage,) = hints.values()
        if not issubclass(stage, STAGES):
            raise TypeError(f"{code}: {stage} is no stage")
        cited = {"": source} if isinstance(source, str) else source or {}
        stages: dict[str, Enforced] = {"": at} if isinstance(at, str) else at
        return Rule(
            code, name, severity, check, stage, (module.__doc__ if module else None) or "", engines,
            tuple((since or {}).items()), tuple((until or {}).items()), tuple(cited.items()),
            tuple(stages.items()),
        )  # fmt: skip

    return wrap
