"""What CUDA graphs took in logs: the figures that they give, and how far others foretell a log."""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.catalog.calibration import Spread
from launchplan.units import GIB, MIB
from tests.memory.kit import Row, spread, table

GRAPHS = table("graph_truth.yaml")
# With fewer layers and graphs than this a log tells of what the first graph takes.
_FEW = 1000
_CUDA_13 = (0, 20)
DENSE = "dense_graph_mib_per_layer"
"""Middle and low end are those of all models, which few dense logs would not tell."""


def layers_and_graphs(row: Row) -> int:
    return int(row["layers"] * sum(row["graphs"]))


def gib_of(row: Row) -> float:
    """Give what the log's pool had to leave: the graphs, or since 0.20 what the engine expected of them."""
    first, other = ("took", "estimate") if early(row) else ("estimate", "took")
    return float(row[first] if first in row else row[other])


def early(row: Row) -> bool:
    """Tell whether an older driver may have run it."""
    if "cuda" in row:
        return bool(row["cuda"] < 13)
    return tuple(int(part) for part in row["version"].split(".")[:2]) < _CUDA_13


def fitted(rows: list[Row]) -> dict[str, Spread]:
    """Fit what the first graph takes, and what each layer of a graph adds, before CUDA 13 and with it."""
    few = {row["id"]: gib_of(row) for row in rows if layers_and_graphs(row) < _FEW}
    first = spread(few)
    if first is None:
        return {}
    found = {"graph_gib": first}
    many = [row for row in rows if layers_and_graphs(row) >= _FEW]
    for name, of_era in (("graph_mib_per_layer", False), ("early_graph_mib_per_layer", True)):
        each = _per_layer([row for row in many if early(row) == of_era], first)
        if each is not None:
            found[name] = each
    dense = _per_layer([row for row in many if _figure(row) == DENSE], first)
    if dense is not None:
        middle = found["graph_mib_per_layer"]
        high = min(max(dense.high, middle.value), middle.high)
        found[DENSE] = dense.model_copy(update={"value": middle.value, "low": middle.low, "high": high})
    return found


def _figure(row: Row) -> str:
    if early(row):
        return "early_graph_mib_per_layer"
    return "graph_mib_per_layer" if row.get("experts") else DENSE


def _per_layer(rows: list[Row], first: Spread) -> Spread | None:
    """Take the middle, and ends that hold for all logs together with the first graph's ends."""
    middle, low, high = (
        spread({row["id"]: max(gib_of(row) - end, 0) * GIB / MIB / layers_and_graphs(row) for row in rows})
        for end in (first.value, first.low, first.high)
    )
    if middle is None or low is None or high is None:
        return None
    return middle.model_copy(update={"low": min(low.low, middle.value), "high": max(high.high, middle.value)})


def interval(row: Row, figures: dict[str, Spread]) -> tuple[float, float, float]:
    """Foretell a log: middle and ends in GiB."""
    per = figures[_figure(row)]
    first, count = figures["graph_gib"], layers_and_graphs(row) * MIB / GIB
    middle, low, high = (
        first_end + per_end * count
        for first_end, per_end in (
            (first.value, per.value), (first.low, per.low), (first.high, per.high),
        )
    )  # fmt: skip
    return middle, low, high


def held_out_graphs() -> Iterator[tuple[Row, tuple[float, float, float]]]:
    """Foretell each log by those of other reports and models."""
    for row in GRAPHS:
        others = [each for each in GRAPHS if not _related(each, row)]
        yield row, interval(row, fitted(others))


def _related(one: Row, other: Row) -> bool:
    return any(one[key] == other[key] for key in ("seen", "model"))


def unrelated(models: set[str], ids: set[str]) -> list[Row]:
    """Give the logs that are of no such model and stand in no such row."""
    return [row for row in GRAPHS if row["model"] not in models and row["seen"] not in ids]
