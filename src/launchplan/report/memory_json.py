"""A rank's memory as one JSON object, for programs; bytes, tokens and seconds are plain numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from launchplan import __version__

if TYPE_CHECKING:
    from launchplan.engines.budgets import PoolMemory
    from launchplan.memory.terms import Term

FORMAT_VERSION = 1


def memory_json(pools: Sequence[PoolMemory], unknown: Sequence[str] = ()) -> str:
    """Print the fullest rank of each pool; keys stay, new ones may come."""
    report = {
        "format": FORMAT_VERSION,
        "launchplan": __version__,
        "pools": [_pool(pool) for pool in pools],
        "unknown": list(unknown),
    }
    return json.dumps(report, indent=2) + "\n"


def _pool(pool: PoolMemory) -> dict[str, object]:
    memory, budget, start = pool.memory, pool.memory.budget, pool.start
    return {
        "role": pool.view.pool.role,
        "engine": budget.engine,
        "gpu": pool.view.gpu.id if pool.view.gpu else None,
        "stage": memory.stage,
        "stages": memory.stages,
        "total_bytes": budget.device.total_bytes,
        "share": budget.share,
        "terms": [_term(term) for term in (*budget.terms, budget.pool, budget.unused)],
        "parameter_bytes": budget.parameter_bytes,
        "parameter_bytes_by_class": dict(sorted(budget.by_class.items())),
        "capacity": asdict(memory.capacity),
        "choices": [asdict(choice) for choice in pool.choices],
        "bound": asdict(pool.bound) if pool.bound else None,
        "cold_start": {
            **asdict(start),
            "total_s": asdict(start.total_s) if start.total_s else None,
            "bottleneck": start.bottleneck,
        }
        if start
        else None,
        "uncertain": list(budget.uncertain),
        "measured_unused": list(pool.unused),
    }


def _term(term: Term) -> dict[str, object]:
    return {
        "name": term.name,
        "bytes": term.bytes.value,
        "low_bytes": term.bytes.low,
        "high_bytes": term.bytes.high,
        "origin": term.origin,
        "logs": term.logs,
        "source": term.source or None,
    }
