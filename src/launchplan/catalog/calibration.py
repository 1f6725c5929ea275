"""What only logs tell of a rank's memory: one figure a term, with the spread that the logs leave."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import Field, model_validator

from launchplan.catalog.base import Fact, Sourced
from launchplan.catalog.load import DATA, read_fact


class Spread(Fact):
    """A calibrated figure and the ends that hold for nearly all logs."""

    value: float
    low: float
    high: float
    logs: int = Field(ge=0)
    """How many logs it was read from."""
    source: str = Field(min_length=1)

    @model_validator(mode="after")
    def _ends_enclose_the_value(self) -> Spread:
        if not self.low <= self.value <= self.high:
            raise ValueError("low, value and high must rise")
        return self


class EngineCalibration(Fact):
    """The figures that differ between engines."""

    loading_gib: Spread
    """What loading takes beyond the parameters, whatever their size."""
    loading_share: Spread
    """Bytes that loading takes beyond the parameters, as a share of them."""
    all_grow: bool
    """That share is one of all parameters, not of the routed experts alone."""
    before_gib: Spread
    """CUDA context and handles that stand when the engine first looks at what is free."""
    before_gib_of_group: Spread
    """What communicators of a tensor parallel group add to that."""
    non_torch_gib: Spread
    """CUDA context and libraries of a rank that works alone."""
    non_torch_gib_of_group: Spread
    """What a rank of a tensor parallel group takes besides: communicators and their buffers."""
    latent_workspace_gib: Spread
    """What a latent attention backend allocates once."""
    sparse_workspace_gib: Spread
    """The same with an indexer."""
    init_s: Spread
    """Seconds from start to the first byte of weights: processes, rendezvous, compilers."""
    capture_s: Spread
    """Seconds of CUDA graph capture."""


class Calibration(Sourced):
    """All calibrated figures."""

    driver_gib: Spread
    """What the driver reports and CUDA does not give to processes, whatever the size of the GPU."""
    unified_share: Spread
    """Share of a unified memory that the host holds itself."""
    activation_factor: Spread
    """Measured peak of activations for one computed byte of the widest layer or the logits."""
    workspace_gib: Spread
    """What libraries allocate once beside activations."""
    encoder_gib: Spread
    """What profiling the encoder of a multimodal model adds."""
    graph_gib: Spread
    """CUDA graphs: what the first one takes."""
    graph_mib_per_layer: Spread
    """CUDA graphs: MiB for each layer and graph."""
    dense_graph_mib_per_layer: Spread
    """The same of models without routed experts: its high end is lower."""
    early_graph_mib_per_layer: Spread
    """The same of any model in releases that a driver before CUDA 12.4 may run: it takes more a graph."""
    vllm: EngineCalibration
    sglang: EngineCalibration


@cache
def calibration() -> Calibration:
    """Return the calibrated figures."""
    return read_fact(Calibration, Path(DATA) / "calibration.yaml")
