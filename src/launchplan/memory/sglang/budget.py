"""SGLang's budget: what is free before loading, times a share, less the weights, is the pool.

SGLang 0.5.23 mem_cache/kv_cache_configurator.py:2990. Activations and CUDA graphs live in the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from launchplan.memory.activations import Batch
from launchplan.memory.budget import Budget, Device
from launchplan.memory.capacity import Capacity, Choice, Concurrency, Count, Lengths, Limit, RankMemory
from launchplan.memory.holding import Holding, hold, measured_pool
from launchplan.memory.kv.sglang import PoolPlan, SglangPoolSettings, plan_pools, rest_bytes
from launchplan.memory.measured import Measured
from launchplan.memory.sglang.cut import SglangWeights, sglang_cut, stage_layers
from launchplan.memory.shares import Stage, make_stages
from launchplan.memory.terms import Interval, Term, total
from launchplan.memory.weights import rank_weights

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.memory.tensors import TensorClass
    from launchplan.memory.weights import RankWeights


_SHARED_LATER: tuple[TensorClass, ...] = ("embedding", "lm_head")


@dataclass(frozen=True, slots=True)
class SglangMemory:
    """Everything that decides what an SGLang rank holds, as the engine has resolved it."""

    model: Architecture
    device: Device
    weights: SglangWeights
    pools: SglangPoolSettings
    lengths: Lengths
    fraction: float
    """`mem_fraction_static`."""
    batch_tokens: int
    """Tokens of a prefill chunk."""
    decode_requests: int
    """The largest decode batch that is captured."""
    capture_sizes: int
    """How many batch sizes are captured as CUDA graphs; 0 without graphs."""
    encodes: bool = False
    draft: Architecture | None = None
    assumed: tuple[str, ...] = ()
    """What had to be taken for granted, as sentences for a report."""
    measured: tuple[Measured, ...] = ()
    """Terms that a log of this deployment measured; they take the place of the estimates."""
    early_graphs: bool = False

    @property
    def graphs(self) -> int:
        """One graph for each size: prefill's are not counted."""
        return self.capture_sizes


def sglang_memory(inputs: SglangMemory) -> RankMemory | None:
    """Compute budget and capacity of the rank that limits the pool; None when a size is not known."""
    stages = _stages(len(inputs.model.layers), inputs.weights.pp)
    found: list[tuple[int, int, Budget, tuple[PoolPlan, ...]]] = []
    for number, stage in enumerate(stages):
        each = _stage_budget(inputs, stage)
        plans = _plans(inputs, each, stage) if each else None
        if each is None or plans is None:
            return None
        found.append((plans[0].tokens, number, each, plans))
    _, number, limiting, plans = min(found, key=lambda each: (each[0], each[1]))
    return RankMemory(limiting, _capacity(inputs, plans), number, len(stages))


def sglang_weights(inputs: SglangMemory) -> tuple[RankWeights, ...]:
    """Compute the weights of a rank of each pipeline stage; empty when a size is not known."""
    stages = _stages(len(inputs.model.layers), inputs.weights.pp)
    found = [rank_weights(inputs.model, sglang_cut(inputs.model, inputs.weights, stage)) for stage in stages]
    return tuple(each for each in found if each is not None)


def _plans(inputs: SglangMemory, budget: Budget, stage: Stage) -> tuple[PoolPlan, ...] | None:
    pool = budget.pool.bytes
    found = [
        plan_pools(inputs.model, inputs.pools, max(end, 0), stage.numbers)
        for end in (pool.value, pool.low, pool.high)
    ]
    known = tuple(plan for plan in found if plan is not None)
    return known if len(known) == len(found) else None


@lru_cache(maxsize=1024)
def _stages(layers: int, pp: int) -> tuple[Stage, ...]:
    return make_stages(stage_layers(layers, pp))


def _stage_budget(inputs: SglangMemory, stage: Stage) -> Budget | None:
    draft = _draft_bytes(inputs) if stage.last else 0
    cut = sglang_cut(inputs.model, inputs.weights, stage)
    held = None
    if draft is not None:
        held = hold(inputs, "sglang", cut, _batch(inputs), ranks=inputs.weights.tp, draft_bytes=draft)
    if held is None:
        return None
    pool, unused = _pool(inputs, held)
    weights = held.parameters
    return Budget(
        "sglang", inputs.device, inputs.fraction, held.terms, pool, unused, weights.by_class,
        uncertain=(*weights.uncertain, *inputs.assumed),
    )  # fmt: skip


def _pool(inputs: SglangMemory, held: Holding) -> tuple[Term, Term]:
    weights, activations, graphs, context = (term.bytes for term in held.taken)
    before = (held.driver.bytes + context).taken_from(inputs.device.total_bytes)
    pool = Interval(
        _rest(inputs, before.value, weights.value),
        _rest(inputs, before.low, weights.high),
        _rest(inputs, before.high, weights.low),
    )
    term = Term("pool", pool, "calibrated", held.weights.logs)
    measured = measured_pool(inputs)
    if measured is not None:
        term = Term("pool", measured, "measured", source=inputs.measured[0].source)
    # What the fraction leaves holds activations and graphs; how much stays is as uncertain as they are.
    used = total((held.driver.bytes, context, weights)).value + term.bytes.value
    left = inputs.device.total_bytes - used
    unused = (activations + graphs).taken_from(left)
    return term, Term("unused", unused, "formula")


def _rest(inputs: SglangMemory, before: int, weights: int) -> int:
    return rest_bytes(before, before - weights, inputs.fraction, multimodal=inputs.model.is_multimodal)


def _batch(inputs: SglangMemory) -> Batch:
    weights = inputs.weights
    attention = max(1, weights.tp // weights.attention_dp)
    return Batch(inputs.batch_tokens, inputs.decode_requests, attention, max(1, weights.tp // weights.ep))


def _draft_bytes(inputs: SglangMemory) -> int | None:
    """Count a draft model, or the embedding and head that the model's own prediction layers are made with.

    They are given back once the pools stand: managers/scheduler.py:1090 sizes the pool of the target before
    speculative/eagle_worker_v2.py:258 lets the draft share them.
    """
    model = inputs.draft or (inputs.model if inputs.weights.mtp else None)
    if model is None:
        return 0
    whole = make_stages(stage_layers(len(model.layers), 1))[0]
    weights = rank_weights(model, sglang_cut(model, replace(inputs.weights, pp=1, mtp=False), whole))
    if weights is None or inputs.draft is not None:
        return None if weights is None else weights.total
    return sum(weights.by_class.get(name, 0) for name in _SHARED_LATER)


def _capacity(inputs: SglangMemory, plans: tuple[PoolPlan, ...]) -> Capacity:
    tokens = Count(*(plan.logical_tokens for plan in plans))
    slots = None
    if plans[0].state_slots is not None:
        slots = Count(*(plan.state_slots or 0 for plan in plans))
    concurrency = tuple(_concurrency(inputs, plans, name, length) for name, length in inputs.lengths.named)
    return Capacity(tokens, concurrency, inputs.weights.attention_dp, slots, plans[0].max_running_requests)


def _concurrency(inputs: SglangMemory, plans: tuple[PoolPlan, ...], name: str, tokens: int) -> Concurrency:
    fits = [plan.logical_tokens / tokens for plan in plans]
    value, low, high = (min(fit, plan.max_running_requests) for fit, plan in zip(fits, plans, strict=True))
    limit: Limit = "pool"
    if fits[0] > plans[0].max_running_requests:
        asked = inputs.pools.max_running_requests
        own = asked is not None and asked // inputs.pools.attention_dp <= plans[0].max_running_requests
        limit = "max_num_seqs" if own or plans[0].state_slots is None else "states"
    plan = plans[0]
    shared = max(1, plan.logical_tokens // max(plan.tokens, 1))
    state = plan.state_bytes * inputs.pools.slots_per_request
    needed = int(-(-tokens // shared) * plan.cell.bytes) + state
    return Concurrency(name, tokens, Count(value, low, high), needed, limit)


def sglang_choices(inputs: SglangMemory) -> tuple[Choice, ...]:
    """Compute what other settings would change, at the length that choices are compared at."""
    found: list[Choice] = []
    for name, other in _others(inputs):
        memory = sglang_memory(other)
        at = memory.capacity.of(other.lengths.usual[0]) if memory else None
        if memory is not None and at is not None:
            found.append(Choice(name, memory.capacity.pool_tokens, at.requests))
    return tuple(found)


def _others(inputs: SglangMemory) -> Iterator[tuple[str, SglangMemory]]:
    model, pools, weights = inputs.model, inputs.pools, inputs.weights
    if model.is_mla and pools.dcp == 1 and pools.attention_tp > 1:
        most = pools.attention_tp
        yield f"parallel.dcp: {most}", replace(inputs, pools=replace(pools, dcp=most))
    if not pools.cache_dtype.startswith("fp8"):
        yield "serve.kv_cache_dtype: fp8_e4m3", replace(inputs, pools=replace(pools, cache_dtype="fp8_e4m3"))
    if (model.num_attention_heads or 0) % (pools.attention_tp * 2) == 0:
        wider = replace(weights, tp=weights.tp * 2, ep=weights.ep * 2 if weights.ep > 1 else 1)
        wide_pools = replace(pools, attention_tp=pools.attention_tp * 2)
        yield f"parallel.tp: {weights.tp * 2}", replace(inputs, weights=wider, pools=wide_pools)
    if model.is_hybrid and pools.radix_cache:
        bare = replace(pools, radix_cache=False, slots_per_request=1)
        yield "serve.prefix_caching: false", replace(inputs, pools=bare)
