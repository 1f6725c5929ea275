"""How long a start takes: bytes that a node reads, over what its storage gives, and what comes around it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from launchplan.catalog.calibration import EngineCalibration

Bottleneck = Literal["loading", "start and capture"]
PUBLISHED_GIGABYTES_PER_S = 2.3
"""The slower of the published loads, of one node; storage of unknown speed is not taken to be faster.

1.56 TB in 11.2 minutes (Kimi K3 serving FAQ, 2026); others ran at up to 4.7 GB/s.
"""
_GIGABYTE = 1e9
# Loaders that give each file to one node, which passes tensors on; the others read every file on each node.
_SHARING_LOADERS = frozenset({"fastsafetensors"})
_WITHOUT_FILES = frozenset({"dummy"})


@dataclass(frozen=True, slots=True)
class Seconds:
    """A time and its ends."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ColdStart:
    """A start from nothing: no page cache, no compiled kernels."""

    checkpoint_bytes: int
    node_bytes: int
    """What one node reads from storage."""
    gigabytes_per_s: float | None
    """Read rate of one node: measured, or what a documented load implies; None when nobody says."""
    load_s: float | None
    around_s: Seconds
    """Processes and rendezvous before loading, CUDA graphs after it."""
    rate_origin: Literal["cluster", "documented", "unknown"]

    @property
    def total_s(self) -> Seconds | None:
        """The whole start; None without a rate."""
        if self.load_s is None:
            return None
        around = self.around_s
        return Seconds(self.load_s + around.value, self.load_s + around.low, self.load_s + around.high)

    @property
    def bottleneck(self) -> Bottleneck | None:
        """What takes more than half of a start; None without a rate."""
        if self.load_s is None:
            return None
        return "loading" if self.load_s > self.around_s.value else "start and capture"


@dataclass(frozen=True, slots=True)
class Loading:
    """What decides how a checkpoint is read."""

    nodes: int = 1
    load_format: str = "auto"
    gigabytes_per_s: float | None = None
    """From the cluster file."""
    documented_s: float | None = None
    """How long the recipe's evidence says that loading took."""


def cold_start(checkpoint_bytes: int, loading: Loading, engine: EngineCalibration) -> ColdStart:
    """Estimate a start.

    Every node reads each file once: its ranks share the page cache, and a rank finds its slices in all files.
    """
    node_bytes = checkpoint_bytes
    if loading.load_format in _SHARING_LOADERS:
        node_bytes = ceil(checkpoint_bytes / loading.nodes)
    elif loading.load_format in _WITHOUT_FILES:
        node_bytes = 0
    rate, origin = _rate(node_bytes, loading)
    parts = (engine.init_s, engine.capture_s)
    around = Seconds(
        sum(part.value for part in parts), sum(part.low for part in parts), sum(part.high for part in parts)
    )
    load = node_bytes / _GIGABYTE / rate if rate else None
    return ColdStart(checkpoint_bytes, node_bytes, rate, load, around, origin)


def _rate(
    node_bytes: int, loading: Loading
) -> tuple[float | None, Literal["cluster", "documented", "unknown"]]:
    if loading.gigabytes_per_s is not None:
        return loading.gigabytes_per_s, "cluster"
    if loading.documented_s:
        return implied_rate(node_bytes, loading.documented_s), "documented"
    return None, "unknown"


def implied_rate(node_bytes: int, seconds: float) -> float:
    """Give the GB/s of one node that a measured load means: 1.56 TB in 11.2 min is 2.3 GB/s."""
    return node_bytes / _GIGABYTE / seconds


def replicas_through_restart(requests: float, capacity_of_replica: float) -> int | None:
    """Count the replicas that serve so many requests while one of them restarts; None without capacity."""
    if capacity_of_replica < 1:
        return None
    return ceil(requests / int(capacity_of_replica)) + 1
