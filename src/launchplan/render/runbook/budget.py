"""Budget and capacity in numbers: the fullest rank of each pool, as `launchplan memory --json` has it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.engines.budgets import DraftChoice, PoolMemory, request_curve
from launchplan.memory.capacity import Concurrency, Count
from launchplan.memory.terms import Term
from launchplan.render.drawing.curve import capacity_curve
from launchplan.render.drawing.memory import memory_bar
from launchplan.render.drawing.shapes import Drawing
from launchplan.render.runbook.tuning import TuningRow, tuning
from launchplan.units import GIB, bytes_text, plural

_LIMITS = {
    "pool": "memory for KV cache",
    "states": "slots for recurrent state",
    "max_num_seqs": "the engine's own limit of requests",
}
_SHARE = {"vllm": "gpu_memory_utilization", "sglang": "mem_fraction_static"}


@dataclass(frozen=True, slots=True)
class TermRow:
    """A term of the budget; sizes in GiB."""

    name: str
    value: str
    low: str
    high: str
    origin: str


@dataclass(frozen=True, slots=True)
class CapacityRow:
    """Requests of one length."""

    name: str
    tokens: str
    requests: str
    low: str
    high: str
    each: str
    """What one of them takes from the pool."""
    limit: str


@dataclass(frozen=True, slots=True)
class PoolBudget:
    """The fullest rank of one pool."""

    title: str
    head: str
    terms: tuple[TermRow, ...]
    weights: str
    """Its weights by class."""
    pool: str
    """What the pool holds."""
    capacity: tuple[CapacityRow, ...]
    curve: tuple[CapacityRow, ...]
    usual: str
    """The length that other settings are compared at, and what fits now."""
    tuning: tuple[TuningRow, ...]
    notes: tuple[str, ...]
    bar: Drawing
    curves: tuple[Drawing, ...]
    """The capacity drawn; none where nothing fits."""

    @property
    def has_tuning(self) -> bool:
        """Whether another setting would change anything."""
        return bool(self.tuning)


def pool_budget(pool: PoolMemory, draft: DraftChoice | None, *, named: bool) -> PoolBudget:
    """Print the figures of a pool; `named` where there are several."""
    budget, capacity, role = pool.memory.budget, pool.memory.capacity, pool.view.pool.role
    points = request_curve(pool)
    workload = pool.view.pool.deployment.recipe.value.workload
    drawn = capacity_curve(f"curve-{role}", points, capacity.concurrency, workload.concurrency)
    name, tokens = pool.inputs.lengths.usual
    now = capacity.of(name)
    return PoolBudget(
        title=f"{role}, the fullest rank" if named else "The fullest rank",
        head=_head(pool),
        terms=tuple(_term(term) for term in (*budget.terms, budget.pool, budget.unused)),
        weights=_classes(pool),
        pool=_pool(pool),
        capacity=tuple(_row(each) for each in capacity.concurrency),
        curve=tuple(_row(each) for each in points),
        usual=f"requests of {tokens:,} tokens" + (f", now {now.requests.value:,.1f}" if now else ""),
        tuning=tuning(pool, draft),
        notes=tuple(_notes(pool)),
        bar=memory_bar(f"memory-{role}", budget),
        curves=(drawn,) if drawn is not None else (),
    )


def _head(pool: PoolMemory) -> str:
    memory, budget = pool.memory, pool.memory.budget
    place = f", stage {memory.stage + 1} of {memory.stages}" if memory.stages > 1 else ""
    gpu = pool.view.gpu.name if pool.view.gpu else pool.view.pool.gpu_name
    total = bytes_text(budget.device.total_bytes)
    return f"{gpu} with {total}{place}; {_SHARE[budget.engine]} {budget.share:g}"


def _term(term: Term) -> TermRow:
    value, low, high = (f"{each / GIB:.2f}" for each in (term.bytes.value, term.bytes.low, term.bytes.high))
    return TermRow(term.name, value, low, high, term.origin_text)


def _classes(pool: PoolMemory) -> str:
    largest = sorted(pool.memory.budget.by_class.items(), key=lambda item: -item[1])
    return ", ".join(f"{name.replace('_', ' ')} {bytes_text(size)}" for name, size in largest)


def _pool(pool: PoolMemory) -> str:
    capacity = pool.memory.capacity
    each = f" on each of {plural(capacity.replicas, 'replica')}" if capacity.replicas > 1 else ""
    slots = f"; {_count(capacity.state_slots)} slots for state" if capacity.state_slots is not None else ""
    return f"{_count(capacity.pool_tokens)} tokens{each}{slots}"


def _count(count: Count) -> str:
    return f"{count.value:,.0f} ({count.low:,.0f} to {count.high:,.0f})"


def _row(each: Concurrency) -> CapacityRow:
    requests = each.requests
    return CapacityRow(
        each.name,
        f"{each.tokens:,}",
        f"{requests.value:,.1f}",
        f"{requests.low:,.1f}",
        f"{requests.high:,.1f}",
        bytes_text(each.request_bytes),
        _LIMITS[each.limit],
    )


def _notes(pool: PoolMemory) -> Iterator[str]:
    bound = pool.bound
    if bound is not None:
        yield (
            f"A bound, not a forecast: at most {bound.tokens_per_s_per_user:,.0f} tokens/s for one user, "
            f"the cache left out, and {bound.tokens_per_s:,.0f} in all for "
            f"{plural(bound.batch, 'request')} at once, the cache included; "
            f"{bytes_text(bound.active_bytes)} a token pass through the memory's bandwidth."
        )
    for note in pool.memory.budget.uncertain:
        yield f"Uncertain: {note}."
