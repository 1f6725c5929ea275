"""Rows of the tables beside this file, and the models that they name."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import yaml

from launchplan import catalog
from launchplan.catalog.calibration import Spread
from launchplan.memory.shares import Stage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from launchplan.architecture import Architecture

HERE = Path(__file__).parent
Row = dict[str, Any]


def table(name: str) -> list[Row]:
    """Read a table."""
    rows: list[Row] = yaml.load((HERE / name).read_text("utf-8"), Loader=yaml.CSafeLoader)
    return rows


def architecture(checkpoint: str) -> Architecture:
    """Read a checkpoint's architecture from the catalog."""
    entry = catalog.model(checkpoint)
    assert entry is not None, checkpoint
    return entry.architecture(checkpoint if entry.checkpoint(checkpoint) else None)


def stage(layers: Iterable[int], number: int, pp: int) -> Stage:
    """Make a stage that holds some layers."""
    return Stage(frozenset(layers), first=number == 0, last=number == pp - 1)


def errors_text(title: str, errors: dict[str, list[float]]) -> str:
    """Print the errors of a set, in percent, model by model."""
    every = [abs(error) for each in errors.values() for error in each]
    within = sum(error <= 0.5 for error in every) / len(every)
    shares = f"{within:.1%} within 0.5 %, median {median(every):.5f} %, largest {max(every):.3f} %"
    lines = [f"{title}: {len(every)} rows, {shares}"]
    for name, each in sorted(errors.items()):
        lines.append(f"  {name:58} {len(each):4} rows  largest {max(map(abs, each)):.4f} %")
    return "\n".join(lines)


def spread(observed: dict[str, float], *, least: float = 0.0, digits: int = 3) -> Spread | None:
    """Take the middle of some logs, and ends a step beyond the outermost: the fewer logs, the longer the step.

    Few logs that agree by chance still leave a quarter of their middle open between them.
    """
    if not observed:
        return None
    values = sorted(observed.values())
    step = max(values[-1] - values[0], abs(median(values)) * (0.25 if len(values) > 1 else 0.75)) / len(
        values
    )
    low, high = max(values[0] - step, least), values[-1] + step
    ends = (round(low, digits), round(high, digits))
    value = min(max(round(median(values), digits), ends[0]), ends[1])
    return Spread(
        value=value, low=ends[0], high=ends[1], logs=len(values), source=", ".join(sorted(observed))
    )
