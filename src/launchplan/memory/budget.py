"""The budget of the fullest rank: bytes by class, as intervals, and what they leave for the pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from launchplan.memory.terms import NOTHING, Interval, Term, gib, scaled, total
from launchplan.units import MIB

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.catalog.calibration import Calibration, EngineCalibration
    from launchplan.memory.tensors import TensorClass
    from launchplan.memory.weights import RankWeights

Engine = Literal["vllm", "sglang"]


@dataclass(frozen=True, slots=True)
class Device:
    """The memory of one GPU."""

    total_bytes: int
    """As the driver reports it."""
    as_cuda_sees_it: bool = False
    """The total is the one of an engine's log, from which the driver's own share is gone already."""
    unified: bool = False
    """The host lives in the same memory."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one rank holds; the terms and the pool add up to the device's total."""

    engine: Engine
    device: Device
    share: float
    """`gpu_memory_utilization` or `mem_fraction_static`."""
    terms: tuple[Term, ...]
    """What the engine takes besides the pool: driver, weights, activations, CUDA graphs, non-torch."""
    pool: Term
    """What is left for KV cache and recurrent state; negative when the rest does not fit."""
    unused: Term
    """What the engine leaves alone."""
    by_class: Mapping[TensorClass, int]
    """Parameter bytes by class, without what loading adds."""
    before: Interval = NOTHING
    """The part of `unused` that context and communicators take before vLLM looks at what is free."""
    uncertain: tuple[str, ...] = ()
    """Why a figure may be off by more than its interval."""

    def term(self, name: str) -> Term:
        """Give a term by its name."""
        return next(each for each in (*self.terms, self.pool, self.unused) if each.name == name)

    @property
    def parameter_bytes(self) -> int:
        """Bytes of the parameters alone, as the engine allocates them."""
        return sum(self.by_class.values())


def driver_term(device: Device, known: Calibration) -> Term:
    """Count what the driver reports and CUDA does not give out, or the host of a unified memory holds."""
    if device.unified:
        spread = known.unified_share
        return Term("driver", scaled(spread, device.total_bytes), "calibrated", spread.logs)
    if device.as_cuda_sees_it:
        return Term("driver", NOTHING, "exact")
    spread = known.driver_gib
    return Term("driver", gib(spread), "calibrated", spread.logs)


def weights_term(weights: RankWeights, draft_bytes: int, engine: EngineCalibration) -> Term:
    """Count parameters, a draft model's too, and what loading them adds.

    A rank holds no less than its parameters where their formats are known; else they may be off either way.
    """
    parameters, spread = weights.total + draft_bytes, engine.loading_share
    grown = scaled(spread, parameters if engine.all_grow else weights.by_class.get("experts", 0))
    if weights.uncertain:
        grown = Interval(grown.value, min(grown.low, -grown.high), grown.high)
    held = Interval.exactly(parameters) + grown + gib(engine.loading_gib)
    return Term("weights", held, "calibrated", spread.logs)


def activations_term(
    model: Architecture,
    work: Interval,
    least: int,
    known: Calibration,
    engine: EngineCalibration,
    *,
    encodes: bool,
) -> Term:
    """Count the peak of a profiled step, which is at least `least`; `encodes` with an encoder of images."""
    factor = known.activation_factor
    low = max(round(factor.low * work.low), least)
    value, high = round(factor.value * work.value), round(factor.high * work.high)
    parts = [Interval(max(value, low), low, max(high, low)), gib(known.workspace_gib)]
    if encodes:
        parts.append(gib(known.encoder_gib))
    if model.sparse_indexer or model.family == "deepseek_v4":
        parts.append(gib(engine.sparse_workspace_gib))
    elif model.is_mla:
        parts.append(gib(engine.latent_workspace_gib))
    return Term("activations", total(parts), "calibrated", known.activation_factor.logs)


def graphs_term(
    layers: int, graphs: int, known: Calibration, *, early: bool = False, experts: bool = False
) -> Term:
    """Count so many graphs of so many layers; `early` where an older driver may take more for each."""
    if not graphs:
        return Term("cuda graphs", NOTHING, "exact")
    now = known.graph_mib_per_layer if experts else known.dense_graph_mib_per_layer
    spread = known.early_graph_mib_per_layer if early else now
    grown = scaled(spread, layers * graphs * MIB)
    return Term("cuda graphs", gib(known.graph_gib) + grown, "calibrated", spread.logs)


def before_bytes(ranks: int, engine: EngineCalibration) -> Interval:
    """Count what a rank of a group of so many takes before the engine looks at what is free."""
    return gib(engine.before_gib) + (gib(engine.before_gib_of_group) if ranks > 1 else NOTHING)


def non_torch_term(ranks: int, engine: EngineCalibration) -> Term:
    """Count context, libraries and the buffers of a group of so many ranks."""
    found = gib(engine.non_torch_gib)
    if ranks > 1:
        found += gib(engine.non_torch_gib_of_group)
    return Term("non-torch", found, "calibrated", engine.non_torch_gib.logs)
