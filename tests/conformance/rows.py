"""Launches that an installed engine judged: what was asked, and what it said.

One file a release and stage, one launch a line, as `tests/conformance/record` writes them.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).parent
DATA = FOLDER / "data"
Stage = Literal["config", "worker"]
STAGES: tuple[Stage, ...] = ("config", "worker")


@dataclass(frozen=True, slots=True)
class Recording:
    """The rows of one release and stage."""

    engine: str
    version: str
    stage: Stage

    @property
    def name(self) -> str:
        return f"{self.engine}-{self.version}-{self.stage}"

    def rows(self) -> tuple[Row, ...]:
        with gzip.open(DATA / f"{self.name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            return tuple(Row(**json.loads(line)) for line in lines)


@dataclass(frozen=True, slots=True)
class Row:
    """One launch and the engine's verdict."""

    id: str
    model: str
    """Catalog id of the model or checkpoint."""
    args: list[str]
    """The words after the model."""
    gpu: str
    gpus: int
    """GPUs of the node."""
    ok: bool
    where: str | None = None
    """Place in the engine's source that refused it."""
    resolved: Mapping[str, Any] = field(default_factory=dict)
    """What the engine filled in, by the names of our settings; `a.b` is a value inside another."""
    env: Mapping[str, str] = field(default_factory=dict)
    apart: str | None = None
    """What the verdict hangs on and nobody here can read: such rows are counted apart."""

    def command(self, engine: str) -> list[str]:
        model = [self.model] if engine == "vllm" else ["--model-path", self.model]
        return [engine, "serve", *model, *self.args]


def recordings() -> tuple[Recording, ...]:
    """List what was recorded, by the names of the files."""
    found = []
    for path in sorted(DATA.glob("*.jsonl.gz")):
        engine, version, stage = path.name.removesuffix(".jsonl.gz").split("-")
        assert stage in STAGES, path.name
        found.append(Recording(engine, version, stage))
    return tuple(found)
