"""The GPU has no units for this format; the engine unpacks it.

## Why

Engines run more formats than a GPU executes. Weights in a format without units are unpacked to 16 bit in
front of each multiplication (Marlin, Humming, Triton), or the arithmetic is emulated: FP8 on A100, NVFP4 and
MXFP4 on Hopper, MXFP4 and NVFP4 on MI300X. Memory is saved all the same; the speed of the format is not to
be had, and large batches run slower than in BF16.

A recipe with documented or verified evidence is not warned: somebody has seen what it gives.

## Fix

Take a format that the GPU executes, or accept the speed.

## References

- vLLM 0.33.0 `model_executor/layers/quantization/fp8.py:146`, `modelopt.py:772`, `mxfp4.py:71`,
  `platforms/rocm.py:1251`
- vllm-project/vllm pull request 35733: NVFP4 on ROCm by emulation
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.given import evidenced, quantization
from launchplan.rules.rule import WARNING, Violation, rule


@rule(
    "QNT102",
    "format-is-native",
    severity=WARNING,
    source="formats of the GPU in launchplan's catalog",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the checkpoint's smallest format with what the GPU executes."""
    stored, gpu = quantization(pool.deployment), pool.gpu
    if (
        stored is None
        or gpu is None
        or evidenced(pool.deployment)
        or gpu.executes(stored.format) is not False
    ):
        return
    has = ", ".join(gpu.formats)
    message = f"{gpu.id} does not execute {stored.format} (it has {has}): weights are unpacked or emulated"
    path = ("checkpoint",) if pool.deployment.recipe.value.checkpoint else ("model",)
    yield Violation(message, path, "memory is saved, speed is not: take a format of this GPU for throughput")
