"""Accelerators: memory as the driver reports it, bandwidth, formats and links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from launchplan.catalog.base import Named
from launchplan.units import GIB

EXECUTED = {
    "nvfp4": ("nvfp4",),
    "mxfp4": ("mxfp4",),
    "mxfp8": ("mxfp8",),
    "fp8": ("fp8", "fp8_fnuz"),
    "int8": ("int8",),
}
"""Formats of checkpoints that speed arithmetic up, and those of a GPU that serve them; four-bit integers are
weight-only everywhere."""


class Gpu(Named):
    """One accelerator, as a serving engine sees it; figures are per device and per direction.

    `memory_total_bytes` is what the driver reports, not the marketing figure; None when no log of it was
    found. `formats` are those that the tensor units execute; an engine may still emulate others. Rates are
    dense (no 2:4 sparsity), in 10^12 operations a second; None where the format is not executed or not known.
    """

    name: str
    vendor: Literal["nvidia", "amd", "intel", "google", "huawei"]
    arch: str
    compute_capability: str | None = Field(default=None, pattern=r"^\d+\.\d$")
    gfx: str | None = None
    memory_marketing_gb: int
    memory_total_bytes: int | None
    memory_source: str
    unified_memory: bool = False
    """The host's own programs and page cache live in the same memory."""
    memory_bandwidth_bytes_per_s: int | None
    bandwidth_source: str
    formats: tuple[str, ...]
    flops_dense_tflops: Mapping[str, float | None]
    flops_source: str
    link: str | None = None
    link_bytes_per_s_per_direction: int | None = None
    scale_up_domain_gpus: int
    gpus_per_node: int | None = None
    cpu_arch: Literal["x86_64", "aarch64"] = "x86_64"
    notes: tuple[str, ...] = ()

    @property
    def capability(self) -> tuple[int, int] | None:
        """CUDA compute capability as numbers, e.g. (9, 0); None off NVIDIA."""
        if self.compute_capability is None:
            return None
        major, _, minor = self.compute_capability.partition(".")
        return int(major), int(minor)

    @property
    def memory_gib(self) -> float | None:
        """Memory as the driver reports it, in GiB; None when that is not known."""
        return None if self.memory_total_bytes is None else self.memory_total_bytes / GIB

    def executes(self, stored: str | None) -> bool | None:
        """Tell whether the tensor units work in a checkpoint's format, or it is unpacked or emulated.

        None for formats that only save memory, for unknown ones, and for vendors whose engines are not known.
        """
        if self.vendor not in {"nvidia", "amd"} or stored not in EXECUTED:
            return None
        return any(served in self.formats for served in EXECUTED[stored])
