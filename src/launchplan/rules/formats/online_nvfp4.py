"""Weights made into NVFP4 while they load, on a GPU or a kernel that does not take them.

## Why

`--quantization nvfp4_online` exists for compute capability 10.x, in a few expert kernels.

## Fix

Leave `--quantization` and `--moe-runner-backend` out, or use B200, B300, GB200 or GB300.

## References

- SGLang 0.5.23 `arg_groups/overrides.py:1452`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings.moe import W4A16
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

RUNNERS = ("auto", "flashinfer_trtllm", "flashinfer_trtllm_routed", "flashinfer_cutedsl")


@sglang_rule("QNT305", "online-nvfp4", source="overrides.py:1452")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare GPU and expert kernel with the format."""
    given, held = view.given, view.after("cuda_graph.context_parallel_prefill")
    if given is None or held.quantization != "nvfp4_online":
        return
    runner = held.moe_runner_backend
    mega = held.moe_a2a_backend == "flashinfer_megamoe" and given.switched_on(W4A16)
    if not given.sm100:
        has = f"{given.capability[0]}.{given.capability[1]}"
        message = f"quantization nvfp4_online needs compute capability 10.x; {view.gpu_id} has {has}"
        yield refuse(view, "quantization", message, "leave quantization out")
    elif runner not in RUNNERS and not (runner == "flashinfer_megamoe" and mega):
        message = f"moe-runner-backend {runner} does not take quantization nvfp4_online"
        yield refuse(view, "moe_runner_backend", message, "use moe-runner-backend flashinfer_trtllm")
