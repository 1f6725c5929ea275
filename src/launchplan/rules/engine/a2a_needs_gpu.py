"""A fused expert exchange on a GPU that it was not built for.

## Why

`megamoe` runs DeepGEMM kernels over symmetric memory, which exist for Hopper and Blackwell data-centre GPUs
(and, on another path, for AMD); `flashinfer_megamoe` for compute capability 10.x alone.

## Fix

Use `moe-a2a-backend deepep`, or none.

## References

- SGLang 0.5.23 `arg_groups/mega_moe_hook.py:43`, `arg_groups/moe_hook.py:337`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import BLACKWELL, HOPPER, capability_major, refuse, sglang_rule

MAJORS = {"megamoe": (HOPPER, BLACKWELL), "flashinfer_megamoe": (BLACKWELL,)}
"""Compute capability majors by exchange."""


@sglang_rule("ENG355", "a2a-needs-gpu", source="mega_moe_hook.py:43")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the exchange with the GPU."""
    exchange, major = view.settings.moe_a2a_backend, capability_major(view)
    if exchange == "megamoe" and view.after("moe.mega_alias").moe_a2a_backend != exchange:
        return  # the model's own choice, made after the check
    majors = MAJORS.get(exchange)
    if majors is None or view.gpu is None or major in majors:
        return
    if view.gpu.vendor == "amd" and exchange == "megamoe":
        return
    needs = " or ".join(f"{number}.x" for number in majors)
    has = "none" if major is None else ".".join(str(part) for part in view.gpu.capability or ())
    message = f"moe-a2a-backend {exchange} needs compute capability {needs}; {view.gpu.id} has {has}"
    yield refuse(view, "moe_a2a_backend", message, "use moe-a2a-backend deepep, or leave it out")
