"""The table of docs/memory.md: logs against predictions, by figures that know them and by figures that don't."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from launchplan.units import GIB
from tests.memory.graphs import gib_of, held_out_graphs
from tests.memory.truth import Outcome, predicted


def page_table(outcomes: list[Outcome], unseen: Mapping[str, Outcome]) -> str:
    """Write the table with the shares that the targets are about."""
    first = ("weights", "tokens, pool given", "pool, from flags", "in interval")
    heads = ("log", "engine", "model", *first, "pool, held out", "in interval")
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for each in outcomes:
        row, other = each.row, unseen[each.row["id"]]
        cells = [_percent(value) for value in (each.weights, each.tokens_from_pool, each.pool)]
        cells += [_yes(each), _percent(other.pool), _yes(other)]
        place = f"{row['id']} | {row['engine']} | {row['model']} x {row.get('tp', 1)}"
        lines.append(f"| {place} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *summary(outcomes, unseen)]) + "\n"


def summary(outcomes: list[Outcome], unseen: Mapping[str, Outcome]) -> list[str]:
    """Sum the table up."""
    weights = [abs(each.weights) for each in outcomes if each.weights is not None]
    given = [abs(each.tokens_from_pool) for each in outcomes if each.tokens_from_pool is not None]
    return [
        f"- Weights: {len(weights)} logs, median error {median(weights):.2%}, {_within(weights, 3)}.",
        f"- Tokens from the logged pool: {len(given)} logs, {_within(given, 1)}.",
        f"- Pool from flags: {_pools(outcomes)}.",
        f"- The same, held out: {_pools(list(unseen.values()))}.",
        f"- Width of the interval: median {_width(outcomes):.1%} of the GPU's memory.",
        f"- CUDA graphs alone, held out: {_graphs()}.",
    ]


def _pools(outcomes: list[Outcome]) -> str:
    pools = [abs(each.pool) for each in outcomes if each.pool is not None]
    inside = sum(each.inside is True for each in outcomes)
    return f"{len(pools)} logs, median error {median(pools):.1%}, {inside} in the interval"


def _graphs() -> str:
    held = [(gib_of(row), ends) for row, ends in held_out_graphs()]
    inside = sum(low <= took <= high for took, (_, low, high) in held)
    error = median(abs(middle - took) for took, (middle, _, _) in held)
    return f"{len(held)} logs, median error {error:.2f} GiB, {inside} in the interval"


def _width(outcomes: list[Outcome]) -> float:
    pools = [(each.row, predicted(each.row).budget.pool.bytes) for each in outcomes if each.pool is not None]
    return median(float((pool.high - pool.low) / GIB / row["total"]) for row, pool in pools)


def _within(errors: list[float], percent: int) -> str:
    return f"{sum(error <= percent / 100 for error in errors)} within {percent} %"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:+.2%}"


def _yes(each: Outcome) -> str:
    return "" if each.inside is None else "yes" if each.inside else "no"
