"""BF16 asked for on a GPU without it.

## Why

GPUs before Ampere (compute capability 8.0) have no BF16 arithmetic. Left to itself vLLM takes FP16 there; an
explicit `--dtype bfloat16` stops the workers.

## Fix

`dtype: half`, or leave it out.

## References

- vLLM 0.33.0 `vllm/platforms/cuda.py:638`, `vllm/v1/worker/gpu_worker.py:498`; unslothai/unsloth issue 2887
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.rule import ERROR, Violation, rule

AMPERE = (8, 0)


@rule(
    "QNT404",
    "dtype-needs-gpu",
    severity=ERROR,
    engines=("vllm",),
    source="vllm/platforms/cuda.py:638 (0.33.0)",
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the type with the GPU."""
    has = view.gpu.capability if view.gpu else None
    if has is None or has >= AMPERE or view.arguments["dtype"] != "bfloat16":
        return
    message = f"dtype bfloat16 needs compute capability 8.0; the GPU has {has[0]}.{has[1]}"
    yield Violation(message, view.path("dtype"), "use half, or leave it out")
