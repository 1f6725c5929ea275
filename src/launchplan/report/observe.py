"""What a log measured against the plan, for a person and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from launchplan import __version__
from launchplan.report.tables import table
from launchplan.units import plural

if TYPE_CHECKING:
    from launchplan.engines.budgets import PoolMemory
    from launchplan.memory.logged import Comparison, EngineLog

FORMAT_VERSION = 1
_HEADER = ("", "unit", "planned", "from", "to", "measured", "planned over measured", "in interval", "ranks")


def observe_text(
    pool: PoolMemory, log: EngineLog, comparisons: Sequence[Comparison], notes: Sequence[str]
) -> str:
    """Print a table of planned and measured figures."""
    version = f" {log.version}" if log.version else ""
    ranks = plural(sum(bool(each.rank) for each in log.ranks) or 1, "rank")
    lines = [f"{pool.view.pool.role}: {log.engine}{version}, figures of {ranks}; the fullest one counts", ""]
    lines.append(table(_HEADER, [tuple(_row(each)) for each in comparisons]).rstrip("\n"))
    lines += [f"note: {note}" for note in notes]
    return "\n".join(lines) + "\n"


def observe_json(
    pool: PoolMemory, log: EngineLog, comparisons: Sequence[Comparison], notes: Sequence[str]
) -> str:
    """Print the same as one JSON object; keys stay, new ones may come."""
    report = {
        "format": FORMAT_VERSION,
        "launchplan": __version__,
        "role": pool.view.pool.role,
        "engine": log.engine,
        "version": log.version,
        "starts": log.starts,
        "comparisons": [
            {**asdict(each), "difference": each.difference, "inside": each.inside} for each in comparisons
        ],
        "ranks": [
            {"rank": each.rank, "figures": {name: figure.value for name, figure in each.figures.items()}}
            for each in log.ranks
        ],
        "notes": list(notes),
    }
    return json.dumps(report, indent=2) + "\n"


def _row(each: Comparison) -> Iterator[str]:
    yield each.name
    yield each.unit
    planned = each.planned
    figures = ("", "", "") if planned is None else (planned.value, planned.low, planned.high)
    for figure in figures:
        yield figure if isinstance(figure, str) else _number(figure, each.unit)
    yield _number(each.measured, each.unit)
    yield "" if each.difference is None else f"{each.difference:+.1%}"
    yield "" if each.inside is None else "yes" if each.inside else "no"
    apart = each.ranks > 1 and each.least != each.most
    yield f"{_number(each.least, each.unit)} to {_number(each.most, each.unit)}" if apart else ""


def _number(value: float, unit: str) -> str:
    return f"{value:,.2f}" if unit in {"GiB", "s", "requests"} else f"{value:,.0f}"
