"""Each figure of a log beside the plan's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from launchplan.memory.capacity import Count
from launchplan.memory.logged import Comparison
from launchplan.observe.terms import measured_terms, pool_gib
from launchplan.units import GIB

if TYPE_CHECKING:
    from launchplan.engines.budgets import PoolMemory
    from launchplan.memory.logged import EngineLog, Figure, Unit
    from launchplan.memory.terms import Interval, TermName

_TERMS: tuple[TermName, ...] = ("driver", "weights", "activations", "cuda graphs", "non-torch")
# Figures that the plan has no like of, and their units.
_OTHERS: tuple[tuple[str, str, Unit], ...] = (
    ("CUDA graphs, as captured", "graphs_gib", "GiB"),
    ("reading weights", "read_s", "s"),
    ("loading weights", "load_s", "s"),
    ("capturing graphs", "capture_s", "s"),
    ("starting the engine", "init_s", "s"),
)


def compare(pool: PoolMemory, log: EngineLog) -> tuple[Comparison, ...]:
    """Compare a pool's plan with what a log measured, in the order of reports."""
    return tuple(_comparisons(pool, log))


def _comparisons(pool: PoolMemory, log: EngineLog) -> Iterator[Comparison]:
    memory = pool.memory
    budget, capacity = memory.budget, memory.capacity
    measured = {each.name: each for each in measured_terms(log, budget.device, "")}
    for name in _TERMS:
        if name in measured:
            each = measured[name]
            spread = log.all("weights_gib") if name == "weights" else {}
            planned = _gib(budget.term(name).bytes)
            yield _made(name, "GiB", each.gib, each.step_gib, planned, spread)
    held = log.least("pool_gib") if log.engine == "vllm" else pool_gib(log)
    if held is not None:
        planned = _gib(budget.pool.bytes)
        yield _made("pool", "GiB", held.value, held.step, planned, log.all("pool_gib"))
    counts: tuple[tuple[str, str, Unit, Count | None], ...] = (
        ("pool", "pool_blocks", "blocks", capacity.blocks),
        ("pool", "pool_tokens", "tokens", capacity.pool_tokens),
        ("states", "state_slots", "slots", capacity.state_slots),
    )
    for label, key, unit, count in counts:
        figure = log.least(key)
        if figure is not None:
            yield _made(label, unit, figure.value, figure.step, count, log.all(key))
    yield from _concurrency(pool, log)
    for label, key, unit in _OTHERS:
        figure = log.most(key)
        if figure is not None:
            yield _made(label, unit, figure.value, figure.step, None, log.all(key))


def _concurrency(pool: PoolMemory, log: EngineLog) -> Iterator[Comparison]:
    """Compare the requests at max_model_len, where log and plan mean the same length."""
    figure, length = log.least("concurrency_x"), log.least("request_tokens")
    planned = pool.memory.capacity.of("max_model_len")
    if figure is None or length is None:
        return
    same = planned is not None and planned.tokens == length.value and planned.limit == "pool"
    count = planned.requests if planned is not None and same else None
    name = f"requests of {length.value:,.0f} tokens"
    yield _made(name, "requests", figure.value, figure.step, count, log.all("concurrency_x"))


def _gib(interval: Interval) -> Count:
    return Count(interval.value / GIB, interval.low / GIB, interval.high / GIB)


def _made(
    name: str, unit: Unit, value: float, step: float, planned: Count | None, spread: dict[str, Figure]
) -> Comparison:
    values = [each.value for each in spread.values()] or [value]
    return Comparison(name, unit, value, step, min(values), max(values), max(len(spread), 1), planned)
