"""NVFP4 experts of ModelOpt on consumer Blackwell, without a kernel named.

## Why

SGLang takes FlashInfer's TRT-LLM kernels for such experts on every GPU of compute capability 10.0 and up.
They are built for 10.x alone; on 12.x the first batch finds no kernel, and the warm-up ends the server. For
some models SGLang names the right kernel by itself.

## Fix

`--moe-runner-backend flashinfer_cutlass`.

## References

- SGLang 0.5.23 `layers/quantization/modelopt_quant.py:3117`, `:3366`; sgl-project/sglang pull request 39807
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.given import quantization
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sglang import capability_major, refuse

CONSUMER = 12
RUNNER = "moe_runner_backend"


@rule(
    "QNT308",
    "nvfp4-experts-runner",
    severity=ERROR,
    engines=("sglang",),
    since={"sglang": "0.5.23"},
    source="sglang/srt/layers/quantization/modelopt_quant.py:3117 (0.5.23)",
    at="run",
)
def check(view: SglangView) -> Iterator[Violation]:
    """Look for experts whose kernel is left open."""
    stored, model, held = quantization(view.pool.deployment), view.architecture, view.settings
    if model is None or model.moe is None or stored is None or not held.complete:
        return
    modelopt = (stored.method or "").startswith("modelopt") and "nvfp4" in stored.formats
    open_choice = held.moe_runner_backend == "auto" and held.moe_a2a_backend == "none"
    if modelopt and open_choice and capability_major(view) == CONSUMER:
        message = "NVFP4 experts get the kernels of compute capability 10.x, which this GPU does not run"
        yield refuse(view, RUNNER, message, "set moe-runner-backend flashinfer_cutlass")
