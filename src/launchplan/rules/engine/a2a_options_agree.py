"""Options that an all-to-all exchange does not take.

## Why

The fused and the newer exchanges have no halves to overlap two batches with, pplx has a low-latency mode
only, DeepEP v2's direct mode ends at the node's NVLink, and `flashinfer-a2a-dispatch-type` speaks of
FlashInfer's exchange alone and must match the weights.

## Fix

Remove the option that the message names.

## References

- SGLang 0.5.23 `arg_groups/mega_moe_hook.py:31`; `arg_groups/moe_hook.py:120`, `:176`-`:211`, `:218`-`:233`,
  `:309`, `:372`, `:419`-`:435`, `:577`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import hybrid_nvfp4, refuse, sglang_rule

W4A16 = "SGLANG_FLASHINFER_CUTEDSL_NVFP4_W4A16"
DISPATCH = "SGLANG_MOE_NVFP4_DISPATCH"
COMBINE = "SGLANG_FLASHINFER_MEGAMOE_COMBINE_DTYPE"
REDUCE = "SGLANG_FLASHINFER_MEGAMOE_IN_KERNEL_FC2_REDUCE"
COMBINE_DTYPES = ("bf16", "mxfp8", "nvfp4")


@sglang_rule("ENG356", "a2a-options-agree", source="moe_hook.py:309")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for options that the exchange refuses."""
    exchange, given = view.settings.moe_a2a_backend, view.arguments
    # What the model chooses by itself comes after the check of `megamoe`.
    whole = exchange == "deepep_v2" or view.after("moe.mega_alias").moe_a2a_backend == exchange == "megamoe"
    for switch in ("enable_two_batch_overlap", "enable_single_batch_overlap") if whole else ():
        if given[switch]:
            name = switch.replace("_", "-")
            yield refuse(view, switch, f"moe-a2a-backend {exchange} does not take {name}", f"remove {name}")
    if exchange == "deepep_v2":
        yield from _deepep_v2(view)
    yield from _mode(view)
    if exchange == "flashinfer_megamoe":
        yield from _fused(view)
    if exchange == "flashinfer":
        yield from _dispatch(view)
    elif given["flashinfer_a2a_dispatch_type"] not in (None, "auto"):
        message = f"flashinfer-a2a-dispatch-type needs moe-a2a-backend flashinfer, not {exchange}"
        yield refuse(view, "flashinfer_a2a_dispatch_type", message, "remove flashinfer-a2a-dispatch-type")


def _deepep_v2(view: SglangView) -> Iterator[Violation]:
    given = view.arguments
    if given["enforce_shared_experts_fusion"]:
        message = "moe-a2a-backend deepep_v2 does not take enforce-shared-experts-fusion"
        yield refuse(view, "enforce_shared_experts_fusion", message, "remove enforce-shared-experts-fusion")
    if given["deepep_v2_mode"] == "direct" and given["nnodes"] > 1:
        message = f"deepep-v2-mode direct ends at the node's NVLink, nnodes is {given['nnodes']}"
        yield refuse(view, "deepep_v2_mode", message, "use deepep-v2-mode hybrid")


def _mode(view: SglangView) -> Iterator[Violation]:
    exchange, mode = view.settings.moe_a2a_backend, view.arguments["deepep_mode"]
    cutedsl = exchange == "deepep" and view.settings.moe_runner_backend == "flashinfer_cutedsl"
    if mode == "normal" and (exchange == "pplx" or cutedsl):
        name = "flashinfer_cutedsl" if cutedsl else "pplx"
        message = f"deepep-mode normal does not work with {name}, which exchanges in low latency only"
        yield refuse(view, "deepep_mode", message, "use deepep-mode low_latency or auto")


def _fused(view: SglangView) -> Iterator[Violation]:
    combine = view.env.get(COMBINE, "bf16").strip().lower()
    if combine not in COMBINE_DTYPES:
        yield refuse(view, COMBINE, f"{COMBINE} '{combine}' is none of bf16, mxfp8, nvfp4", "use bf16")
    elif combine != "bf16" and (view.env_on(W4A16) or view.env_on(REDUCE)):
        other = W4A16 if view.env_on(W4A16) else REDUCE
        yield refuse(view, COMBINE, f"{COMBINE} {combine} needs {other} off", "use bf16")
    if view.env_on(W4A16) and view.settings.complete and not _bfloat16(view):
        message = f"{W4A16} needs bfloat16 activations, not {view.settings.dtype}"
        yield refuse(view, "dtype", message, "use dtype bfloat16")


def _bfloat16(view: SglangView) -> bool:
    dtype = view.settings.dtype
    model = view.architecture
    return dtype == "bfloat16" or (dtype == "auto" and (model is None or model.dtype in (None, "bfloat16")))


def _dispatch(view: SglangView) -> Iterator[Violation]:
    held, wanted = view.settings, view.arguments["flashinfer_a2a_dispatch_type"]
    w4a16 = held.moe_runner_backend == "flashinfer_cutedsl" and view.env_on(W4A16)
    if w4a16 and (view.env_on(DISPATCH) or wanted in ("auto", "nvfp4")):
        yield refuse(view, "flashinfer_a2a_dispatch_type", f"{W4A16} needs a bf16 dispatch", "use bf16")
    if wanted is None or not held.complete:
        return
    if DISPATCH in view.env:
        message = f"flashinfer-a2a-dispatch-type and {DISPATCH} say the same thing twice"
        yield refuse(view, "flashinfer_a2a_dispatch_type", message, f"unset {DISPATCH}")
    four_bit = held.quantization == "modelopt_fp4" or hybrid_nvfp4(view)
    eight_bit = held.quantization == "mxfp8"
    runner = held.moe_runner_backend
    if wanted == "mxfp8" and not eight_bit:
        message = f"flashinfer-a2a-dispatch-type mxfp8 needs MXFP8 weights, not {held.quantization}"
        yield refuse(view, "flashinfer_a2a_dispatch_type", message, "use flashinfer-a2a-dispatch-type bf16")
    elif eight_bit and wanted in ("auto", "mxfp8") and runner != "flashinfer_trtllm_routed":
        message = f"an MXFP8 dispatch needs moe-runner-backend flashinfer_trtllm_routed, not {runner}"
        yield refuse(view, "moe_runner_backend", message, "use moe-runner-backend flashinfer_trtllm_routed")
    if wanted == "nvfp4" and not four_bit:
        message = f"flashinfer-a2a-dispatch-type nvfp4 needs NVFP4 weights, not {held.quantization}"
        yield refuse(view, "flashinfer_a2a_dispatch_type", message, "use flashinfer-a2a-dispatch-type bf16")
