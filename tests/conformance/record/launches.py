"""Launches to be judged, verdicts, and the lines that hold them."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO


@dataclass(frozen=True, slots=True)
class Launch:
    """What an engine is asked to start."""

    id: str
    model: str
    args: list[str]
    gpu: str
    """Id of the catalog."""
    gpus: int
    env: dict[str, str] = field(default_factory=dict)
    apart: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the engine made of it."""

    ok: bool
    where: str | None = None
    """Innermost place in the engine's source, `argparse`, or the pydantic constraint that refused it."""
    error: str | None = None
    """First line of the message: to be read while recording, and not kept."""
    resolved: dict[str, Any] | None = None


def read_launches(path: Path) -> list[Launch]:
    """Read lines that have at least a launch's keys; `.gz` is unpacked."""
    opened = gzip.open if path.suffix == ".gz" else open
    names = Launch.__slots__
    with opened(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    return [Launch(**{name: row[name] for name in names if name in row}) for row in rows]


def write_line(out: TextIO, launch: Launch, verdict: Verdict) -> None:
    """Write a row as `tests/conformance/data` has it; empty keys are left out."""
    row: dict[str, Any] = {
        "id": launch.id, "model": launch.model, "args": launch.args, "gpu": launch.gpu, "gpus": launch.gpus,
        "env": launch.env, "ok": verdict.ok, "where": verdict.where, "resolved": verdict.resolved,
        "apart": launch.apart,
    }  # fmt: skip
    kept = {key: value for key, value in row.items() if value is not None and value != {}}
    out.write(json.dumps(kept, separators=(",", ":"), ensure_ascii=False) + "\n")
    out.flush()
