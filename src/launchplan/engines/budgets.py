"""The memory of the fullest rank behind each view: the one place that knows which engine counts how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from launchplan import catalog
from launchplan.engines.measured import usable
from launchplan.engines.sglang.budget import memory_inputs as sglang_inputs
from launchplan.engines.sglang.view import SglangView
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.budget import memory_inputs as vllm_inputs
from launchplan.engines.vllm.view import VllmView
from launchplan.memo import kept_for_last
from launchplan.memory.capacity import Choice, Concurrency, Lengths, RankMemory
from launchplan.memory.checkpoint import checkpoint_size
from launchplan.memory.cold_start import ColdStart, Loading, cold_start, replicas_through_restart
from launchplan.memory.sglang.budget import SglangMemory, sglang_choices, sglang_memory, sglang_weights
from launchplan.memory.speed import DecodeBound, Step, decode_bound
from launchplan.memory.vllm.budget import VllmMemory, vllm_choices, vllm_memory, vllm_weights
from launchplan.recipe import MeasuredPool

MemoryInputs = VllmMemory | SglangMemory
_SHORTEST_TOKENS = 1024


@dataclass(frozen=True, slots=True)
class PoolMemory:
    """The fullest rank of one pool of a deployment."""

    view: EngineView
    inputs: MemoryInputs
    memory: RankMemory
    choices: tuple[Choice, ...] = ()
    bound: DecodeBound | None = None
    """None for a GPU whose bandwidth is not known."""
    start: ColdStart | None = None
    """None when the size of the checkpoint is not known."""
    unused: tuple[str, ...] = ()
    """Why kept measurements don't count for this plan."""


@dataclass(frozen=True, slots=True)
class DraftChoice:
    """A published way of drafting that a plan does not use, and what it would change."""

    setting: str
    """What the recipe's `speculative` would hold, as JSON."""
    tokens: int
    """Drafted in one step."""
    bound: DecodeBound | None
    """None where the memory with it could not be computed."""


@kept_for_last
def memory_inputs(view: EngineView) -> MemoryInputs | None:
    """Collect what decides the memory of a view's rank; None when something is not known."""
    if isinstance(view, VllmView):
        return vllm_inputs(view)
    return sglang_inputs(view) if isinstance(view, SglangView) else None


def memory_of(inputs: MemoryInputs) -> RankMemory | None:
    """Compute budget and capacity; None when a size of the model is not known."""
    return vllm_memory(inputs) if isinstance(inputs, VllmMemory) else sglang_memory(inputs)


def pool_memory(
    views: Iterable[EngineView], measured: Mapping[str, MeasuredPool] | None = None
) -> tuple[PoolMemory, ...]:
    """Compute the memory of every pool whose model, GPU and settings are known, and what choices change.

    `measured` holds what logs measured, by the role of the pool. Choices are other launches, and estimated.
    """
    found: list[PoolMemory] = []
    for view in views:
        inputs = memory_inputs(view)
        kept = (measured or {}).get(view.pool.role)
        terms, unused = usable(view, inputs, kept) if inputs is not None and kept is not None else ((), ())
        given = replace(inputs, measured=terms) if inputs is not None and terms else inputs
        memory = memory_of(given) if given else None
        if inputs is not None and given is not None and memory is not None:
            choices, bound = _choices(inputs, memory), _bound(view, given, memory)
            found.append(PoolMemory(view, given, memory, choices, bound, start_of(view), unused))
    return tuple(found)


def instances_through_restart(pool: PoolMemory) -> int | None:
    """Count the instances that serve the workload while one of them restarts; None without a workload."""
    wanted = pool.view.pool.deployment.recipe.value.workload.concurrency
    at = pool.memory.capacity.of(pool.inputs.lengths.usual[0])
    if wanted is None or at is None:
        return None
    return replicas_through_restart(wanted, at.requests.value * pool.memory.capacity.replicas)


def request_curve(pool: PoolMemory) -> tuple[Concurrency, ...]:
    """Compute the requests that run at once at lengths that double up to the longest one."""
    longest = pool.inputs.lengths.max_model_len
    lengths = [_SHORTEST_TOKENS << power for power in range(32) if _SHORTEST_TOKENS << power < longest]
    found: list[Concurrency] = []
    for tokens in (*lengths, longest):
        # A length of the workload and the window itself are all that one computation is asked for.
        asked = replace(pool.inputs, lengths=Lengths(longest, mean=tokens))
        memory = memory_of(asked)
        at = memory.capacity.of("mean") if memory else None
        found += [replace(at, name="")] if at else []
    return tuple(found)


def held_memory(view: EngineView, memory: RankMemory | None = None) -> PoolMemory | None:
    """Compute memory and speed bound of one pool, without choices and cold start; None when not known.

    `memory` is what was computed for the view before.
    """
    inputs = memory_inputs(view)
    memory = memory or (memory_of(inputs) if inputs else None)
    if inputs is None or memory is None:
        return None
    return PoolMemory(view, inputs, memory, bound=_bound(view, inputs, memory))


def _choices(inputs: MemoryInputs, memory: RankMemory) -> tuple[Choice, ...]:
    """List the choices that change anything."""
    others = vllm_choices(inputs) if isinstance(inputs, VllmMemory) else sglang_choices(inputs)
    usual = memory.capacity.of(inputs.lengths.usual[0])
    now = (memory.capacity.pool_tokens, usual.requests if usual else None)
    return tuple(other for other in others if (other.pool_tokens, other.requests) != now)


def _bound(view: EngineView, inputs: MemoryInputs, memory: RankMemory) -> DecodeBound | None:
    bandwidth = view.gpu.memory_bandwidth_bytes_per_s if view.gpu else None
    ranks = vllm_weights(inputs) if isinstance(inputs, VllmMemory) else sglang_weights(inputs)
    usual = memory.capacity.of(inputs.lengths.usual[0])
    if bandwidth is None or not ranks or usual is None:
        return None
    step = Step(bandwidth, _drafts(inputs, view), int(usual.requests.value), usual.request_bytes)
    return decode_bound(inputs.model, ranks, step)


def _drafts(inputs: MemoryInputs, view: EngineView) -> int:
    asked = view.pool.speculative.tokens if view.pool.speculative else None
    if isinstance(inputs, VllmMemory):
        return inputs.cache.speculative_tokens or asked or 0
    return max(inputs.pools.draft_tokens - 1, 0) or asked or 0


def start_of(view: EngineView) -> ColdStart | None:
    """Estimate the cold start of a view's pool; None when the size of the checkpoint is not known."""
    deployment = view.pool.deployment
    held = deployment.checkpoint_facts.bytes if deployment.checkpoint_facts else None
    if held is None and view.architecture is not None:
        computed = checkpoint_size(view.architecture)
        held = computed.total if computed else None
    if held is None:
        return None
    cluster = deployment.cluster.value if deployment.cluster else None
    minutes = deployment.recipe.value.evidence
    documented = minutes.figures.get("weight_load_minutes") if minutes else None
    loading = Loading(
        nodes=view.pool.nodes,
        load_format=view.pool.serve.load_format or "auto",
        gigabytes_per_s=cluster.storage.read_gigabytes_per_s if cluster else None,
        documented_s=documented * 60 if isinstance(documented, int | float) else None,
    )
    known = catalog.calibration()
    return cold_start(held, loading, known.vllm if view.engine == "vllm" else known.sglang)
