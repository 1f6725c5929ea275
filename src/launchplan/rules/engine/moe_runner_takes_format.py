"""An expert kernel that does not run the checkpoint's format.

## Why

Each `--moe-runner-backend` has kernels for some weight formats only. SGLang compares it with the quantization
that it found or was told, and refuses to start.

## Fix

Leave `moe-runner-backend` out: SGLang picks one that runs the format.

## References

- SGLang 0.5.23 `arg_groups/moe_hook.py:81`, `:98`, `:126`, `:142`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import hybrid_nvfp4, refuse, sglang_rule
from launchplan.units import choice_text

_TRTLLM = ("modelopt_fp4", "nvfp4_online", "fp8", "mxfp8", "modelopt_fp8", "modelopt_mixed",
           "compressed-tensors", None)  # fmt: skip
FORMATS: dict[str, tuple[str | None, ...]] = {
    "flashinfer_cutlass": ("modelopt_fp4", "modelopt_fp8", "modelopt_mixed", None),
    "flashinfer_cutedsl": ("modelopt_fp4", "modelopt_mixed", "nvfp4_online"),
    "flashinfer_trtllm": _TRTLLM,
    "experimental_sgl_trtllm": _TRTLLM,
    "flashinfer_trtllm_routed": ("fp8", "mxfp8", "modelopt_fp4", "modelopt_mixed", "nvfp4_online",
                                 "minimax_m3_nvfp4", None),
}  # fmt: skip
"""Formats by runner; None is 16-bit weights."""


@sglang_rule("ENG350", "moe-runner-takes-format", source="moe_hook.py:81")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the expert kernels with the weights."""
    # As they are before the FlashInfer exchange swaps the runner for its routed form.
    held = view.after("moe.runner")
    runner = held.moe_runner_backend
    takes = FORMATS.get(runner)
    if not held.complete or takes is None or held.quantization in takes:
        return
    if runner == "flashinfer_cutedsl" and hybrid_nvfp4(view):
        return
    known = choice_text(name or "unquantized" for name in takes)
    fix = f"leave moe-runner-backend out; {runner} runs {known}"
    stored = view.architecture.quantization.method if view.architecture else None
    weights = f"{held.quantization or 'unquantized'} weights"
    if held.quantization is None and stored is not None:
        # Read from a file beside `config.json`, which the check does not look into.
        weights = "weights whose format nobody names"
        fix = f"set quantization {stored}" if stored in takes else fix
    message = f"moe-runner-backend {runner} does not run {weights}"
    yield refuse(view, "moe_runner_backend", message, fix)
