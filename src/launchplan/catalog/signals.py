"""What an engine release says while it starts and serves: lines of its log, names of its metrics."""

from __future__ import annotations

from functools import cache
from typing import Literal

from pydantic import Field

from launchplan.catalog.base import Fact, Sourced
from launchplan.catalog.load import DATA, newest_not_above, read_fact
from launchplan.catalog.version import version_key

When = Literal["always", "speculative", "pools", "state", "sliding", "prefix"]
"""Which deployments a signal is for: every one; with draft tokens; with prefill and decode apart; with
recurrent state; with sliding windows; with prefix caching."""
Stage = Literal["start", "load", "memory", "capture", "ready", "serving"]


class LogLine(Fact):
    """A line that a head logs on the way; `...` stands for what differs from start to start."""

    stage: Stage
    line: str = Field(min_length=1)
    means: str
    source: str = Field(min_length=1)


class Metric(Fact):
    """A metric under the name that `/metrics` gives it."""

    name: str = Field(min_length=1)
    topic: str
    healthy: str
    """What it says while all is well, and what to do when it doesn't."""
    when: When = "always"
    source: str = Field(min_length=1)


class Signals(Sourced):
    """The signals of one engine release."""

    engine: Literal["vllm", "sglang"]
    version: str
    apis: tuple[str, ...] = ()
    """Paths for clients beside `/v1/chat/completions`."""
    metrics_flag: str | None = None
    """The flag without which there is no `/metrics`."""
    log: tuple[LogLine, ...]
    metrics: tuple[Metric, ...]

    @property
    def label(self) -> str:
        """Engine and version as reports print them."""
        return f"{self.engine} {self.version}"


@cache
def signals(engine: str, version: str) -> Signals | None:
    """Return the signals of the newest known release that is not newer than the asked one, else the oldest.

    None for an engine without any: a name is better than none, and the release it was looked up in is told.
    """
    folder = DATA / "signals"
    known = sorted(
        folder.glob(f"{engine}-[0-9]*.yaml"), key=lambda p: version_key(p.stem.removeprefix(f"{engine}-"))
    )
    path = newest_not_above(folder, engine, version) or next(iter(known), None)
    return read_fact(Signals, path) if path is not None else None
