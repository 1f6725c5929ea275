"""The GPU is of a vendor whose engine builds are not checked.

## Why

Flags, variables and refusals are known of the CUDA and ROCm builds of the engines. Builds for other
accelerators come from their vendors' plugins, take other flags and refuse other things; nothing that is said
about formats, kernels or backends was compared with them.

## Fix

Compare the recipe with the documentation of the vendor's build. Nothing has to change here.

## References

- launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.places import hardware_key
from launchplan.rules.rule import WARNING, Violation, rule

CHECKED = frozenset({"nvidia", "amd"})
NAMES = {"intel": "Intel", "google": "Google", "huawei": "Huawei"}


@rule("FAC111", "gpu-vendor-checked", severity=WARNING)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look at who makes the GPU."""
    gpu = pool.gpu
    if gpu is None or gpu.vendor in CHECKED:
        return
    vendor = NAMES.get(gpu.vendor, gpu.vendor)
    message = f"{gpu.id} is by {vendor}: only CUDA and ROCm builds are known, nothing about it is checked"
    yield Violation(message, hardware_key(pool, "gpu"), "compare with the documentation of that build")
