"""An expert kernel that does not run in this expert layout.

## Why

The FlashInfer CUTLASS and CuTe DSL experts are split over all tensor parallel ranks or not at all; the plain
CUTLASS FP8 experts know no expert parallelism; CuTe DSL exchanges tokens in three ways only.

## Fix

Set `ep` to 1 or to the whole `tp x dp`, or leave `moe-runner-backend` out.

## References

- SGLang 0.5.23 `arg_groups/moe_hook.py:89`, `:103`, `:107`, `:118`, `:161`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

WHOLE_OR_NONE = ("flashinfer_cutlass", "flashinfer_cutedsl")
CUTEDSL_EXCHANGES = ("none", "deepep", "flashinfer")
PER_TOKEN = "SGLANG_FLASHINFER_NVFP4_PER_TOKEN_ACTIVATION"  # noqa: S105 # a variable's name, not a secret


@sglang_rule("ENG351", "moe-runner-layout", source="moe_hook.py:89")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the expert kernels with how experts are laid out."""
    held = view.after("moe.runner")
    runner, exchange, ep = held.moe_runner_backend, held.moe_a2a_backend, held.ep_size
    if runner in WHOLE_OR_NONE and ep not in (1, held.tp_size):
        message = f"moe-runner-backend {runner} needs ep 1 or ep {held.tp_size}, not ep {ep}"
        yield refuse(view, "ep_size", message, f"use ep {held.tp_size}, or leave moe-runner-backend out")
    if runner == "cutlass" and held.quantization in ("fp8", "mxfp8") and ep != 1 and held.complete:
        message = f"moe-runner-backend cutlass runs {held.quantization} experts with ep 1 only, not ep {ep}"
        yield refuse(view, "ep_size", message, "leave moe-runner-backend out")
    if runner != "flashinfer_cutedsl":
        return
    if exchange not in CUTEDSL_EXCHANGES:
        message = f"moe-runner-backend flashinfer_cutedsl does not exchange tokens by {exchange}"
        yield refuse(view, "moe_a2a_backend", message, "use moe-a2a-backend flashinfer, or leave it out")
    per_token = held.quantization == "nvfp4_online" or view.env_on(PER_TOKEN)
    if exchange == "deepep" and per_token:
        message = "flashinfer_cutedsl with NVFP4 activations per token does not exchange them by deepep"
        yield refuse(view, "moe_a2a_backend", message, "use moe-a2a-backend flashinfer, or leave it out")
