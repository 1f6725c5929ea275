"""The terms of a rank's budget that a log measures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from launchplan.memory.logged import Figure
from launchplan.memory.measured import Measured
from launchplan.units import GIB

if TYPE_CHECKING:
    from launchplan.memory.budget import Device
    from launchplan.memory.logged import EngineLog, RankLog
    from launchplan.memory.terms import TermName

# Rounded figures that add up differ by no more than this (GiB).
_ROUNDING = 0.03
_STEP = 0.01


def measured_terms(log: EngineLog, device: Device, source: str) -> tuple[Measured, ...]:
    """Read the terms of the fullest rank; what a log doesn't tell stays an estimate."""
    found = _vllm(log, device) if log.engine == "vllm" else _sglang(log, device)
    return tuple(
        Measured(name, round(value, 4), step, source)
        for name, value, step in found
        if name == "pool" or value >= 0
    )


def _vllm(log: EngineLog, device: Device) -> Iterator[tuple[TermName, float, float]]:
    total, weights, pool = log.most("total_gib"), log.most("weights_gib"), log.least("pool_gib")
    if total is not None and not device.unified:
        yield "driver", max(device.total_bytes / GIB - total.value, 0.0), total.step
    if weights is not None:
        yield "weights", weights.value, weights.step
    context = log.most("non_torch_gib")
    if context is not None:
        yield "non-torch", context.value, context.step
    elif together := [each for rank in log.ranks if (each := _beside_weights(rank)) is not None]:
        yield "non-torch", max(*together, 0.0), _STEP
    yield from _working(log)
    if pool is not None:
        yield "pool", pool.value, pool.step


def _working(log: EngineLog) -> Iterator[tuple[TermName, float, float]]:
    """Tell activations from graphs: newer engines print the peak with the estimate of the graphs in it."""
    peak, estimate = log.most("peak_gib"), log.most("graphs_estimated_gib")
    if peak is None:
        return
    held = 0.0
    if estimate is not None:
        yield "cuda graphs", estimate.value, estimate.step
        held = estimate.value if _peak_holds(log, peak) else 0.0
    elif (graphs := log.most("graphs_gib")) is not None and log.most("consumed_gib") is None:
        yield "cuda graphs", graphs.value, graphs.step
    elif log.most("consumed_gib") is not None:
        # The peak may hold an estimate that the log doesn't tell.
        return
    yield "activations", max(peak.value - held, 0.0), peak.step


def _peak_holds(log: EngineLog, peak: Figure) -> bool:
    """Say whether wanted - consumed - peak is the pool, with nothing more taken away."""
    for rank in log.ranks:
        parts = [rank.figures.get(name) for name in ("wanted_gib", "consumed_gib", "peak_gib", "pool_gib")]
        known = [each.value for each in parts if each is not None]
        if len(known) == len(parts) and rank.figures["peak_gib"] == peak:
            return abs(known[0] - sum(known[1:])) <= _ROUNDING
    return log.most("consumed_gib") is not None


def _beside_weights(rank: RankLog) -> float | None:
    """Give what a rank has consumed besides its weights."""
    consumed, weights = rank.figures.get("consumed_gib"), rank.figures.get("weights_gib")
    return None if consumed is None or weights is None else consumed.value - weights.value


def _sglang(log: EngineLog, device: Device) -> Iterator[tuple[TermName, float, float]]:
    before, weights, graphs = log.least("before_gib"), log.most("weights_gib"), log.most("graphs_gib")
    if before is not None and not device.unified:
        # What is free before loading tells both together; the driver's part is counted with the context.
        yield "driver", 0.0, before.step
        yield "non-torch", device.total_bytes / GIB - before.value, before.step
    if weights is not None:
        yield "weights", weights.value, weights.step
    if graphs is not None:
        yield "cuda graphs", graphs.value, graphs.step
    pool = pool_gib(log)
    if pool is not None:
        yield "pool", pool.value, pool.step


def pool_gib(log: EngineLog) -> Figure | None:
    """Add up SGLang's pools of KV cache and states on the rank with the least."""
    parts = ("k_gib", "v_gib", "kv_gib", "conv_gib", "ssm_gib", "drafted_ssm_gib", "drafted_conv_gib")
    ranks = [[rank.figures[name] for name in parts if name in rank.figures] for rank in log.ranks]
    sums = [sum(each.value for each in rank) for rank in ranks if rank]
    counted = [rank for rank in ranks if rank]
    if not counted:
        return None
    least = min(range(len(sums)), key=sums.__getitem__)
    return Figure(sums[least], sum(each.step for each in counted[least]))
