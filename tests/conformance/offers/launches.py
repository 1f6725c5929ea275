"""The offers of searches, as launches that an engine can be asked about."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from launchplan import api, catalog
from launchplan.engines.launch import Site, Value
from launchplan.fit.answer import Offer
from launchplan.fit.recipes import recipe_text

GPUS = ("a100-80gb-sxm", "b200", "gb300", "h200", "l40s", "rtx-pro-6000")
"""One of each compute capability that engines decide by, each with other memory or another host."""
_OF_A_CHECKPOINT = 2
"""GPUs that a checkpoint is searched on; the next checkpoint takes others."""
WORKLOADS = (None, "8x16k")
"""What one checkpoint and the next are searched for."""
MAX_GPUS = 32
_HEAD = "10.0.0.1"

Row = dict[str, Any]


def launches_of(
    engine: str, names: Iterable[str], each: int, progress: Callable[[str], None] = lambda _: None
) -> Iterator[Row]:
    """Search the checkpoints and pick, of each, as many offers of every kind."""
    known = [name for name in names if catalog.model(name) is not None]
    for place, name in enumerate(known):
        gpus = [GPUS[(place + step) % len(GPUS)] for step in range(_OF_A_CHECKPOINT)]
        rows = _picked(_rows(engine, name, gpus, WORKLOADS[place % len(WORKLOADS)]), each)
        progress(f"{place + 1} of {len(known)}: {name}: {len(rows)}")
        yield from rows


def _rows(engine: str, name: str, gpus: list[str], workload: str | None) -> Iterator[Row]:
    """Give every offer for a checkpoint, each command once."""
    fits = api.fit(
        name, engine=engine, gpu=gpus, checkpoint=_checkpoint(name), workload=workload, max_gpus=MAX_GPUS,
        derived=True,
    )  # fmt: skip
    seen: set[str] = set()
    for offer in fits.offers:
        row = row_of(offer) if offer.recipe is None else None
        if row is not None and row["id"] not in seen:
            seen.add(row["id"])
            yield row


def _checkpoint(name: str) -> str | None:
    entry = catalog.model(name)
    return name if entry is not None and entry.checkpoint(name) is not None else None


def row_of(offer: Offer) -> Row | None:
    """Write the head's command of an offer as a launch; None where its recipe has no launch."""
    plan = api.check(recipe_text(offer, "offer")).plan
    if plan is None or plan.launch is None:
        return None
    head, at = plan.launch.processes[0], offer.candidate
    words = [_text(word) for word in head.argv]
    skipped = 4 if words[2] == "--model-path" else 3
    env = {each.name: _text(each.value) for each in (*plan.launch.env, *head.env) if not _sites(each.value)}
    row = {
        "model": words[skipped - 1], "args": words[skipped:], "gpu": at.gpu.id, "gpus": head.gpus, "env": env,
        "kind": _kind(offer), "draft": at.speculative.model if at.speculative else None,
    }  # fmt: skip
    digest = hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:12]
    return {"id": digest, **row}


def _kind(offer: Offer) -> list[object]:
    """Name what stands for many offers: the GPU, the sizes above one, cache format and draft."""
    at = offer.candidate
    wide = [name for name, size in at.sizes.items() if size > 1]
    return [at.gpu.id, at.nodes > 1, *wide, at.kv, at.speculative.method if at.speculative else None]


def _picked(rows: Iterable[Row], each: int) -> list[Row]:
    """Take one of each kind, then a second of each, and so on."""
    kinds: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: str(row["id"])):
        kinds[json.dumps(row["kind"])].append(row)
    order = [(place, kind, row) for kind, found in kinds.items() for place, row in enumerate(found)]
    return [row for _, _, row in sorted(order, key=lambda item: item[:2])[:each]]


def _sites(value: Value) -> bool:
    return not all(isinstance(part, str) for part in value)


def _text(value: Value) -> str:
    """Write a value with an address where only the site knows one."""
    return "".join(part if isinstance(part, str) else _address(part) for part in value)


def _address(part: object) -> str:
    if isinstance(part, Site) and part.variable.endswith("HEAD_ADDR"):
        return _HEAD
    raise ValueError(f"{part} is no address")


def write_launches(path: Path, rows: Iterable[Row]) -> None:
    """Write one launch a line."""
    with path.open("w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, separators=(",", ":")) + "\n")
            out.flush()
