"""The weights are more than all GPUs of one copy hold.

## Why

Whatever the layout, every byte of the checkpoint stands on some GPU of a copy of the model. A copy is spread
over tp x pp GPUs, and over the data parallel ranks as well where they share experts. When the checkpoint is
larger than all their memory, the engine dies while it loads, after the GPUs were rented and the download was
paid for. Layers that only draft and a vision tower are left out of the sum; KV cache, activations and CUDA
graphs come on top of it.

It is not said where weights are offloaded to the host, quantized while they are loaded, or replaced in part,
nor of a checkpoint whose size neither the catalog nor its configuration tells. Where only the format is
known, not which layers have it, or a vision tower's size is not, the sum is what all layers of the text model
take in that format, without scales: no checkpoint of this model in this format is smaller.

A GPU for which no driver's figure is known counts with the memory that it is sold with, which is the most
that a driver can report.

## Fix

More GPUs in one copy, or a smaller checkpoint of the same model.

## References

- sizes of the checkpoints in launchplan's catalog; memory as the driver reports it, catalog `gpus/`
- vLLM 0.33.0 `vllm/model_executor/model_loader/base_loader.py`; SGLang 0.5.23 `model_loader/loader.py`
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from launchplan.catalog import Checkpoint, Gpu
from launchplan.memory.checkpoint import checkpoint_size, least_text_bytes
from launchplan.resolve import ResolvedPool
from launchplan.rules.given import raw_count
from launchplan.rules.memory.loaded_whole import loaded_bytes, loads_all
from launchplan.rules.places import checkpoint_key
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.units import GIB, plural

USABLE = 0.9
"""Share of the memory that a cure counts with: what engines use by themselves."""
EVERYWHERE = frozenset({"bf16", "fp16", "int4"})
"""Formats that every GPU of the catalog runs."""
_NOT_COUNTED = frozenset({"quantization.method", "vision"})
"""What of a model may be unknown where the least is counted."""
EQUIVALENT = {"fp8_fnuz": "fp8"}


@rule(
    "MEM101",
    "checkpoint-exceeds-gpus",
    severity=ERROR,
    source="bytes of the checkpoint and memory of the GPU in launchplan's catalog",
    at="memory",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the checkpoint with the memory of one copy's GPUs."""
    gpu = pool.gpu
    # What a GPU is sold with is the most that it has: a driver reports no more.
    memory = (gpu.memory_total_bytes or gpu.memory_marketing_gb * GIB) if gpu else None
    exact = _stored_bytes(pool)
    stored = exact or _least_bytes(pool)
    if stored is None or gpu is None or memory is None or not loads_all(pool):
        return
    ranks = _ranks_of_copy(pool)
    loaded = loaded_bytes(pool, stored) if exact else stored
    if loaded <= ranks * memory:
        return
    has = (
        f"{ranks} x {_gib(memory)} are {_gib(ranks * memory)}"
        if ranks > 1
        else f"{gpu.id} has {_gib(memory)}"
    ) + ("" if gpu.memory_total_bytes else " at most")
    fix = _cure(pool, gpu, ceil(loaded / (memory * USABLE)), ranks * memory * USABLE)
    least = "" if exact else "at least "
    yield Violation(f"{least}{_gib(stored)} of weights, {has}", checkpoint_key(pool), fix)


def _stored_bytes(pool: ResolvedPool) -> int | None:
    """Give the checkpoint's bytes: the catalog's, or those that the model's configuration comes to."""
    facts, model = pool.deployment.checkpoint_facts, pool.architecture
    if facts is not None and facts.bytes is not None:
        return facts.bytes
    size = checkpoint_size(model) if model is not None and not model.unknown else None
    return size.total if size is not None and not size.uncertain else None


def _least_bytes(pool: ResolvedPool) -> int | None:
    """Give what a checkpoint of the catalog takes at least whose format is known, and not its settings."""
    model = pool.architecture
    if pool.deployment.checkpoint_facts is None or model is None or set(model.unknown) - _NOT_COUNTED:
        return None
    return least_text_bytes(model)


def _ranks_of_copy(pool: ResolvedPool) -> int:
    """Count the GPUs that share one copy of the weights."""
    sizes, model = pool.parallel, pool.architecture
    shared = sizes.dp * (raw_count(pool, "prefill_context_parallel_size") or 1)
    return sizes.tp * sizes.pp * (shared if model is None or model.is_moe or not model.known else 1)


def _cure(pool: ResolvedPool, gpu: Gpu, gpus: int, usable_bytes: float) -> str:
    moe = pool.architecture is not None and pool.architecture.is_moe
    sizes = "tp x pp x dp" if moe else "tp x pp"
    per_node = max(pool.gpus_per_node or 0, gpu.gpus_per_node or 0)
    if pool.gpus is not None and gpus <= pool.gpus:
        more = f"spread it: {sizes} of {gpus} or more"
    elif per_node:
        more = f"use {gpus} or more GPUs: {plural(ceil(gpus / per_node), 'node')} of {per_node}"
    else:
        more = f"use {gpus} or more GPUs"
    smaller = _smaller(pool, gpu, usable_bytes)
    return f"{more}, or checkpoint {smaller.id} ({_gib(smaller.bytes or 0)})" if smaller else more


def _smaller(pool: ResolvedPool, gpu: Gpu, usable_bytes: float) -> Checkpoint | None:
    """Find the largest checkpoint of the model that fits these GPUs in a format that they execute."""
    entry = pool.deployment.model
    native = {EQUIVALENT.get(name, name) for name in gpu.formats} | EVERYWHERE
    fitting = [
        each
        for each in (entry.checkpoints if entry else ())
        if each.bytes is not None
        and each.bytes <= usable_bytes
        and each.format in native
        and (not each.gpus or {gpu.id, gpu.vendor} & {*each.gpus})
    ]
    return max(fitting, key=lambda each: each.bytes or 0, default=None)


def _gib(count: float) -> str:
    size = count / GIB
    return f"{size:.1f} GiB" if size < 100 else f"{size:,.0f} GiB"
