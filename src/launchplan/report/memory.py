"""A rank's memory for a person at a terminal: a bar, the terms, what the pool serves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from launchplan.report.memory_start import bound_lines, start_lines
from launchplan.report.tables import table
from launchplan.units import GIB, bytes_text, plural

if TYPE_CHECKING:
    from launchplan.engines.budgets import PoolMemory
    from launchplan.memory.budget import Budget
    from launchplan.memory.capacity import Concurrency, Count
    from launchplan.memory.terms import Term

_BAR = 72
_LETTERS = {
    "driver": "D",
    "weights": "W",
    "activations": "A",
    "cuda graphs": "G",
    "non-torch": "N",
    "pool": "#",
    "unused": ".",
}
_LIMITS = {
    "pool": "",
    "states": "; recurrent state is the limit",
    "max_num_seqs": "; the engine's own limit of requests",
}
_SHARE = {"vllm": "gpu_memory_utilization", "sglang": "mem_fraction_static"}


def memory_text(pools: Sequence[PoolMemory], unknown: Sequence[str] = ()) -> str:
    """Draw the fullest rank of each pool."""
    blocks = ["\n".join(_pool_lines(pool, titled=len(pools) + len(unknown) > 1)) + "\n" for pool in pools]
    blocks += [
        f"{role}: not computed: model, GPU memory or engine settings are not known\n" for role in unknown
    ]
    return "\n".join(blocks)


def _pool_lines(pool: PoolMemory, *, titled: bool) -> Iterator[str]:
    memory, budget = pool.memory, pool.memory.budget
    place = f", stage {memory.stage + 1} of {memory.stages}" if memory.stages > 1 else ""
    role = f"{pool.view.pool.role}: " if titled else ""
    gpu = pool.view.gpu.id if pool.view.gpu else pool.view.pool.gpu_name
    yield (
        f"{role}{budget.engine}, fullest rank{place}, {gpu} with {bytes_text(budget.device.total_bytes)},"
        f" {_SHARE[budget.engine]} {budget.share:g}"
    )
    yield f"[{_bar(budget)}]"
    yield ""
    rows = [_row(term) for term in (*budget.terms, budget.pool, budget.unused)]
    yield table(("", "term", "GiB", "from", "to", "origin"), rows).rstrip("\n")
    yield ""
    yield f"weights: {_classes(budget)}"
    yield from _capacity_lines(pool)
    yield from bound_lines(pool)
    yield from start_lines(pool)
    for note in budget.uncertain:
        yield f"uncertain: {note}"
    for note in pool.unused:
        yield f"measured: {note}"


def _bar(budget: Budget) -> str:
    """Fill a bar by the terms, each rounded so that all of them fill it."""
    text, seen, whole = "", 0, budget.device.total_bytes
    for term in (*budget.terms, budget.pool, budget.unused):
        seen += max(term.bytes.value, 0)
        end = min(_BAR, round(seen / whole * _BAR))
        text += _LETTERS[term.name] * (end - len(text))
    return text.ljust(_BAR)


def _row(term: Term) -> tuple[str, ...]:
    figures = (term.bytes.value, term.bytes.low, term.bytes.high)
    value, low, high = (f"{figure / GIB:.2f}" for figure in figures)
    return (_LETTERS[term.name], term.name, value, low, high, term.origin_text)


def _classes(budget: Budget) -> str:
    largest = sorted(budget.by_class.items(), key=lambda item: -item[1])
    return ", ".join(f"{name.replace('_', ' ')} {bytes_text(size)}" for name, size in largest)


def _capacity_lines(pool: PoolMemory) -> Iterator[str]:
    capacity = pool.memory.capacity
    each = f" on each of {plural(capacity.replicas, 'replica')}" if capacity.replicas > 1 else ""
    yield f"pool: {_count(capacity.pool_tokens)} tokens{each}"
    if capacity.state_slots is not None:
        yield f"states: {_count(capacity.state_slots)} slots"
    for concurrency in capacity.concurrency:
        yield _concurrency_line(concurrency)
    if pool.choices:
        name, tokens = pool.inputs.lengths.usual
        now = capacity.of(name)
        before = f", now {now.requests.value:,.1f}" if now else ""
        yield f"what would change (requests of {tokens:,} tokens{before}):"
        for choice in pool.choices:
            tokens_text = f"{choice.pool_tokens.value:,.0f} tokens"
            yield f"  {choice.name}: {choice.requests.value:,.1f}, pool {tokens_text}"


def _concurrency_line(each: Concurrency) -> str:
    requests = each.requests
    return (
        f"{each.name} {each.tokens:,} tokens: {requests.value:,.1f} requests at once"
        f" ({requests.low:,.1f} to {requests.high:,.1f}), {bytes_text(each.request_bytes)} each"
        f"{_LIMITS[each.limit]}"
    )


def _count(count: Count) -> str:
    return f"{count.value:,.0f} ({count.low:,.0f} to {count.high:,.0f})"
