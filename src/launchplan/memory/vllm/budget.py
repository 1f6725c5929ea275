"""vLLM's budget: a share of the GPU, less weights and what a profiled step takes, is the pool.

vLLM 0.33.0 v1/worker/gpu_worker.py (determine_available_memory): requested = utilization x total; the
estimate of the CUDA graphs is subtracted, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from launchplan import catalog
from launchplan.memory.activations import Batch, Sampler
from launchplan.memory.budget import Budget, Device, before_bytes
from launchplan.memory.capacity import Capacity, Choice, Concurrency, Count, Lengths, Limit, RankMemory
from launchplan.memory.holding import Holding, hold, measured_pool
from launchplan.memory.kv.vllm import CachePlan, VllmCacheSettings, plan_cache
from launchplan.memory.measured import Measured
from launchplan.memory.shares import Stage, make_stages
from launchplan.memory.terms import NOTHING, Interval, Term, total
from launchplan.memory.vllm.cut import VllmWeights, stage_layers, vllm_cut
from launchplan.memory.weights import rank_weights

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.memory.weights import Cut, RankWeights


@dataclass(frozen=True, slots=True)
class VllmMemory:
    """Everything that decides what a vLLM rank holds, as the engine has resolved it."""

    model: Architecture
    device: Device
    weights: VllmWeights
    cache: VllmCacheSettings
    lengths: Lengths
    utilization: float
    batch_tokens: int
    """`max_num_batched_tokens`."""
    max_num_seqs: int
    capture_sizes: int
    """How many batch sizes are captured as CUDA graphs; 0 without graphs."""
    graphs: int
    """How many graphs that makes."""
    pool_bytes: int | None = None
    """`--kv-cache-memory-bytes`: the pool is not sized from what is left."""
    graphs_counted: bool = True
    """The pool is smaller by the graphs."""
    early_graphs: bool = False
    """Built with CUDA 12: a driver that takes more for a graph may run it."""
    sampler: Sampler = "draws"
    eager: bool = False
    """Layers run as they are written: nothing is compiled."""
    encodes: bool = False
    """An encoder of images is profiled."""
    draft: Architecture | None = None
    """A draft model with weights of its own."""
    fp8_cache: str = "fp8"
    """The layout that `--kv-cache-dtype fp8` would give."""
    assumed: tuple[str, ...] = ()
    """What had to be taken for granted, as sentences for a report."""
    measured: tuple[Measured, ...] = ()
    """Terms that a log of this deployment measured; they take the place of the estimates."""


def vllm_memory(inputs: VllmMemory) -> RankMemory | None:
    """Compute budget and capacity of the rank that limits the pool; None when a size is not known.

    Every rank gets as many blocks as the one with the fewest: v1/core/kv_cache_utils.py.
    """
    stages = _stages(len(inputs.model.layers), inputs.weights.pp)
    found: list[tuple[int, int, Budget, CachePlan]] = []
    alike: dict[tuple[object, ...], Budget | None] = {}
    for number, stage in enumerate(stages):
        cut = vllm_cut(inputs.model, inputs.weights, stage)
        weights = rank_weights(inputs.model, cut)
        key = (len(stage.layers), stage.last, *(weights.by_class.items() if weights else ()))
        if key not in alike:  # the stages between the first and the last mostly hold the same
            alike[key] = _stage_budget(inputs, cut)
        each = alike[key]
        plan = plan_cache(inputs.model, inputs.cache, stage.numbers)
        if each is None or plan is None:
            return None
        found.append((plan.blocks(max(each.pool.bytes.value, 0)), number, each, plan))
    _, number, limiting, plan = min(found, key=lambda each: (each[0], each[1]))
    return RankMemory(limiting, _capacity(inputs, limiting.pool.bytes, plan), number, len(stages))


def vllm_weights(inputs: VllmMemory) -> tuple[RankWeights, ...]:
    """Compute the weights of a rank of each pipeline stage; empty when a size is not known."""
    stages = _stages(len(inputs.model.layers), inputs.weights.pp)
    found = [rank_weights(inputs.model, vllm_cut(inputs.model, inputs.weights, stage)) for stage in stages]
    return tuple(each for each in found if each is not None)


@lru_cache(maxsize=1024)
def _stages(layers: int, pp: int) -> tuple[Stage, ...]:
    return make_stages(stage_layers(layers, pp))


def _stage_budget(inputs: VllmMemory, cut: Cut) -> Budget | None:
    draft = _draft_bytes(inputs) if cut.stage.last else 0
    held = None
    if draft is not None:
        held = hold(inputs, "vllm", cut, batch_of(inputs), ranks=inputs.weights.tp, draft_bytes=draft)
    if held is None:
        return None
    pool, unused = _pool(inputs, held)
    weights = held.parameters
    return Budget(
        "vllm", inputs.device, inputs.utilization, held.terms, pool, unused, weights.by_class,
        before_bytes(inputs.weights.tp * inputs.weights.pp, catalog.calibration().vllm),
        (*weights.uncertain, *inputs.assumed),
    )  # fmt: skip


def _pool(inputs: VllmMemory, held: Holding) -> tuple[Term, Term]:
    size, graphs, driver = inputs.device.total_bytes, held.graphs, held.driver
    taken = total(term.bytes for term in held.taken if inputs.graphs_counted or term is not graphs)
    seen = driver.bytes.taken_from(size)
    wanted = Interval(*(int(inputs.utilization * end) for end in (seen.value, seen.low, seen.high)))
    left = wanted + Interval(-taken.value, -taken.high, -taken.low)
    pool = Term("pool", left, "calibrated", held.weights.logs)
    measured = measured_pool(inputs)
    if inputs.pool_bytes is not None:
        pool = Term("pool", Interval.exactly(inputs.pool_bytes), "exact")
    elif measured is not None:
        pool = Term("pool", measured, "measured", source=inputs.measured[0].source)
    rest = total((*(term.bytes for term in held.terms), pool.bytes))
    unused = Interval(size - rest.value, *_ends(seen, wanted, pool, taken, graphs, inputs))
    return pool, Term("unused", unused, "formula")


def _ends(
    seen: Interval, wanted: Interval, pool: Term, taken: Interval, graphs: Term, inputs: VllmMemory
) -> tuple[int, int]:
    """Give the ends of what is left alone: errors of the terms go into the pool unless it is fixed."""
    uncounted = NOTHING if inputs.graphs_counted else graphs.bytes
    if pool.origin == "calibrated":
        return seen.low - wanted.low - uncounted.high, seen.high - wanted.high - uncounted.low
    fixed = pool.bytes.value
    return seen.low - taken.high - uncounted.high - fixed, seen.high - taken.low - uncounted.low - fixed


def batch_of(inputs: VllmMemory) -> Batch:
    """Give the largest step that is profiled."""
    weights = inputs.weights
    parts = 1 if weights.expert_parallel else weights.tp * weights.dp
    return Batch(
        inputs.batch_tokens, inputs.max_num_seqs, weights.tp, parts,
        eager=inputs.eager, sampler=inputs.sampler,
    )  # fmt: skip


def _draft_bytes(inputs: VllmMemory) -> int | None:
    """Count a draft model's parameters; None when its sizes are not known."""
    draft = inputs.draft
    if draft is None:
        return 0
    alone = replace(inputs.weights, pp=1, mtp=False)
    whole = make_stages(stage_layers(len(draft.layers), 1))[0]
    weights = rank_weights(draft, vllm_cut(draft, alone, whole))
    return None if weights is None else weights.total


def _capacity(inputs: VllmMemory, pool: Interval, plan: CachePlan) -> Capacity:
    blocks = tuple(plan.blocks(max(end, 0)) for end in (pool.value, pool.low, pool.high))
    concurrency = tuple(
        _concurrency(inputs, plan, blocks, name, tokens) for name, tokens in inputs.lengths.named
    )
    return Capacity(
        Count(*(plan.tokens(each) for each in blocks)),
        concurrency,
        inputs.weights.dp,
        max_running=inputs.max_num_seqs,
        blocks=Count(*blocks),
    )


def _concurrency(
    inputs: VllmMemory, plan: CachePlan, blocks: tuple[int, ...], name: str, tokens: int
) -> Concurrency:
    needed = plan.blocks_per_request(tokens)
    found = [each / needed if needed else 0.0 for each in blocks]
    limited = found[0] > inputs.max_num_seqs
    value, low, high = (min(each, inputs.max_num_seqs) for each in found)
    limit: Limit = "max_num_seqs" if limited else "pool"
    return Concurrency(name, tokens, Count(value, low, high), needed * plan.block_bytes, limit)


def vllm_choices(inputs: VllmMemory) -> tuple[Choice, ...]:
    """Compute what other settings would change, at the length that choices are compared at."""
    found: list[Choice] = []
    for name, other in _others(inputs):
        memory = vllm_memory(other)
        at = memory.capacity.of(other.lengths.usual[0]) if memory else None
        if memory is not None and at is not None:
            found.append(Choice(name, memory.capacity.pool_tokens, at.requests))
    return tuple(found)


def _others(inputs: VllmMemory) -> Iterator[tuple[str, VllmMemory]]:
    model, cache, weights = inputs.model, inputs.cache, inputs.weights
    if cache.dcp == 1 and weights.tp > 1:
        heads = 1 if model.is_mla else model.num_key_value_heads or weights.tp
        most = max(1, weights.tp // heads)
        if most > 1:
            yield f"parallel.dcp: {most}", replace(inputs, cache=replace(cache, dcp=most))
    if not cache.cache_dtype.startswith(("fp8", "nvfp4")):
        yield "serve.kv_cache_dtype: fp8", replace(inputs, cache=replace(cache, cache_dtype=inputs.fp8_cache))
    if (model.num_attention_heads or 0) % (weights.tp * 2) == 0:
        yield f"parallel.tp: {weights.tp * 2}", _wider(inputs)
    usual = inputs.lengths.tail or inputs.lengths.mean
    if usual and usual < cache.max_model_len // 2:
        shorter = replace(inputs.lengths, max_model_len=usual)
        yield (
            f"serve.max_model_len: {usual}",
            replace(inputs, lengths=shorter, cache=replace(cache, max_model_len=usual)),
        )


def _wider(inputs: VllmMemory) -> VllmMemory:
    tp = inputs.weights.tp * 2
    return replace(inputs, weights=replace(inputs.weights, tp=tp), cache=replace(inputs.cache, tp=tp))
