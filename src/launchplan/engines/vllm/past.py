"""The least that a rank of an older vLLM holds, from the arguments and the defaults of its time.

Of releases before the oldest one whose resolution is known, only what never changed is read from the command
line; where a default did change, the smallest step is taken that the release may have profiled. What follows
is a bound: a launch that does not fit with it does not fit at all.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

from launchplan import catalog
from launchplan.catalog.version import version_key
from launchplan.engines.vllm.graphs import captured, early_graphs, graphs_counted
from launchplan.engines.vllm.settings import scheduler
from launchplan.engines.vllm.settings.reading import count, on, size, speculative, text
from launchplan.memory.budget import Budget, Device
from launchplan.memory.capacity import Concurrency, Count, Lengths, RankMemory
from launchplan.memory.kv.vllm import VllmCacheSettings
from launchplan.memory.terms import Interval
from launchplan.memory.vllm import VllmWeights
from launchplan.memory.vllm.budget import VllmMemory, vllm_memory
from launchplan.units import GIB

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.engines.vllm.view import VllmView

_LATENTS_CACHED = (0, 7, 1)
"""Since then latent attention keeps latents; before, the heads' own keys and values, padded alike."""
_WINDOWS_CACHED = (0, 9)
"""Since then layers with a window keep no more than it; before, what full layers beside them keep."""
_CHUNKS = (0, 8)
"""Since then long prompts are cut by default; before, only those of a long context were."""
_SEARCHES, _DRAWS = (0, 17), (0, 20, 1)
"""Since then the sampler does not sort the logits (v1/sample/ops/topk_topp_triton.py), and is FlashInfer's by
default."""
_COMPILED = (0, 8)
"""Since then layers are compiled by default."""
_LONG_CONTEXT = 32_768
"""A context beyond which the releases before cut prompts by themselves (vllm 0.6.4 engine/arg_utils.py)."""
_SMALL_STEP, _SMALL_BATCH = 512, 256
"""The smallest defaults of tokens and requests a step."""
_LARGE_GPU, _LARGE_BATCH = 70 * GIB, 1024
_PADDED_HEAD = 256
_EARLY_GRAPHS = Interval(2 * GIB, GIB, 3 * GIB)
"""What CUDA graphs take beside the pool before 0.8, by its log (vllm 0.6.1 worker/model_runner.py:1313)."""
_WINDOWED = frozenset({"sliding", "chunked"})
_SHARE = 0.9
"""Share of the GPU where no release near tells."""


def past_memory(view: VllmView) -> RankMemory | None:
    """Compute the least that a rank holds; None when model, GPU or context is not known."""
    inputs, model = _inputs(view), view.architecture
    memory = vllm_memory(inputs) if inputs is not None else None
    if memory is None or inputs is None or model is None:
        return None
    release = version_key(view.pool.deployment.version)
    if release < _CHUNKS and inputs.capture_sizes:
        memory = replace(memory, budget=_with_early_graphs(memory.budget))
    return _with_whole_heads(memory, model, inputs.weights.tp) if release < _LATENTS_CACHED else memory


def requests_of(view: VllmView) -> int | None:
    """Give the requests of a batch: as written, else what `vllm serve` takes by itself on such a GPU.

    vllm 0.33.0 engine/arg_utils.py:2972: 1,024 from 70 GiB on, an A100 and unified memory apart.
    """
    given, gpu = count(view, "max_num_seqs", 1), view.gpu
    if given is not None or gpu is None or gpu.memory_total_bytes is None:
        return given
    large = gpu.memory_total_bytes >= _LARGE_GPU and not gpu.id.startswith("a100") and not gpu.unified_memory
    return _LARGE_BATCH if large else _SMALL_BATCH


def _inputs(view: VllmView) -> VllmMemory | None:
    model, gpu, release = view.architecture, view.gpu, version_key(view.pool.deployment.version)
    if model is None or gpu is None or gpu.memory_total_bytes is None or not release:
        return None
    length = scheduler.context_length(view, scheduler.derived_length(view))
    pp = size(view, "pipeline_parallel_size")
    if length is None or pp > len(model.layers):
        return None
    seqs = count(view, "max_num_seqs", 1) or _SMALL_BATCH
    drafts = (speculative(view) or {}).get("num_speculative_tokens")
    sizes, graphs = captured(view, None, seqs, drafts if isinstance(drafts, int) else 0)
    return VllmMemory(
        model=_as_cached(model, release),
        device=Device(gpu.memory_total_bytes, unified=gpu.unified_memory),
        weights=_weights(view, pp),
        cache=_cache(view, length, _step(view, length, release)),
        lengths=Lengths(length),
        utilization=_share(view, release),
        batch_tokens=_step(view, length, release),
        max_num_seqs=seqs,
        capture_sizes=sizes,
        graphs=graphs,
        graphs_counted=graphs_counted(view),
        early_graphs=early_graphs(view),
        sampler="sorts" if release < _SEARCHES else "searches" if release < _DRAWS else "draws",
        eager=release < _COMPILED or on(view, "enforce_eager"),
    )  # fmt: skip


def _share(view: VllmView, release: tuple[int, ...]) -> float:
    """Give the share of the GPU: as written, else the larger default of the releases before and after."""
    written = view.arguments["gpu_memory_utilization"]
    if "gpu_memory_utilization" in view.arguments and isinstance(written, int | float):
        return float(written)
    later = next((each for each in catalog.versions("vllm") if version_key(each) > release), None)
    facts = catalog.engine_facts("vllm", later) if later else None
    flag = facts.find("--gpu-memory-utilization") if facts else None
    known = (written, flag.default if flag else None)
    return max((float(each) for each in known if isinstance(each, int | float)), default=_SHARE)


def _weights(view: VllmView, pp: int) -> VllmWeights:
    return VllmWeights(
        tp=size(view, "tensor_parallel_size"),
        pp=pp,
        dp=size(view, "data_parallel_size"),
        expert_parallel=on(view, "enable_expert_parallel"),
        capability=view.gpu.capability if view.gpu else None,
    )


def _cache(view: VllmView, length: int, step: int) -> VllmCacheSettings:
    settings = VllmCacheSettings(
        max_model_len=length,
        tp=size(view, "tensor_parallel_size"),
        dcp=size(view, "decode_context_parallel_size"),
        cache_dtype=text(view, "kv_cache_dtype") or "auto",
        in_flight_tokens=step,
    )
    model = view.architecture
    return replace(settings, cache_mode="none") if model is not None and model.is_hybrid else settings


def _step(view: VllmView, length: int, release: tuple[int, ...]) -> int:
    """Give the tokens of the step that is profiled (vllm 0.6.4 config.py, SchedulerConfig)."""
    given = count(view, "max_num_batched_tokens", 1)
    if given is not None:
        return given
    chunked = view.arguments["enable_chunked_prefill"]
    cuts = chunked is True or release >= _CHUNKS or (chunked is not False and length > _LONG_CONTEXT)
    return _SMALL_STEP if cuts else max(length, 2048)


def _as_cached(model: Architecture, release: tuple[int, ...]) -> Architecture:
    """Give the model with layers that keep what they kept in a release."""
    if release >= _WINDOWS_CACHED or not model.count_attention("full"):
        return model
    layers = tuple(
        replace(each, attention="full") if each.attention in _WINDOWED else each for each in model.layers
    )
    return replace(model, layers=layers)


def _with_early_graphs(budget: Budget) -> Budget:
    """Put in what these releases say themselves that graphs take, beside the pool."""
    old = budget.term("cuda graphs")
    new = replace(old, bytes=_EARLY_GRAPHS, origin="formula", logs=0)
    held = tuple(new if term is old else term for term in budget.terms)
    less = Interval(*(was - now for was, now in zip(_ends(old.bytes), _ends(_EARLY_GRAPHS), strict=True)))
    unused = replace(budget.unused, bytes=budget.unused.bytes + Interval(less.value, less.high, less.low))
    return replace(budget, terms=held, unused=unused)


def _ends(interval: Interval) -> tuple[int, int, int]:
    return interval.value, interval.low, interval.high


def _with_whole_heads(memory: RankMemory, model: Architecture, tp: int) -> RankMemory:
    """Count a latent request by keys and values of all heads (vllm 0.5.4 models/deepseek_v2.py)."""
    latent = model.mla
    if latent is None or latent.kv_lora_rank is None or latent.qk_rope_head_dim is None:
        return memory
    heads = ceil((model.num_attention_heads or tp) / tp)
    times = heads * 2 * _PADDED_HEAD / (latent.kv_lora_rank + latent.qk_rope_head_dim)
    capacity = memory.capacity
    wider = tuple(_wider(each, times) for each in capacity.concurrency)
    return replace(
        memory, capacity=replace(capacity, pool_tokens=_less(capacity.pool_tokens, times), concurrency=wider)
    )


def _wider(each: Concurrency, times: float) -> Concurrency:
    return replace(
        each, requests=_less(each.requests, times), request_bytes=round(each.request_bytes * times)
    )


def _less(count_of: Count, times: float) -> Count:
    return Count(count_of.value / times, count_of.low / times, count_of.high / times)
