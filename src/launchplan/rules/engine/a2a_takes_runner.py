"""Expert kernels that do not fit the all-to-all exchange.

## Why

The exchange hands tokens over in its own layout, and only some expert kernels read it: FlashInfer's a
handful, DeepEP v2 and pplx DeepGEMM alone, the fused FlashInfer kernel itself. With `auto` SGLang fills in
the only choice where there is one, but for `flashinfer` it does not: there the runner must be named.

## Fix

Name a runner that reads the exchange, or leave it out where there is only one.

## References

- SGLang 0.5.23 `arg_groups/moe_hook.py:334`, `:412`, `:531`, `:599`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule
from launchplan.units import choice_text

RUNNERS = {
    "flashinfer": ("flashinfer_cutlass", "flashinfer_cutedsl", "flashinfer_trtllm",
                   "flashinfer_trtllm_routed", "deep_gemm"),
    "flashinfer_megamoe": ("flashinfer_megamoe",),
    "deepep_v2": ("deep_gemm",),
    "pplx": ("deep_gemm",),
}  # fmt: skip
"""Expert kernels by exchange; an exchange that is not named takes any."""


@sglang_rule("ENG352", "a2a-takes-runner", source="moe_hook.py:531")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the exchange with the expert kernels."""
    held = view.settings
    runner, takes = held.moe_runner_backend, RUNNERS.get(held.moe_a2a_backend, ())
    if not takes or runner in takes or not held.complete:
        return
    if runner == "auto" and len(takes) == 1:
        return  # SGLang fills in the only choice
    message = f"moe-a2a-backend {held.moe_a2a_backend} does not work with moe-runner-backend {runner}"
    yield refuse(view, "moe_runner_backend", message, f"use moe-runner-backend {choice_text(takes)}")
