"""Experts that move, in a kernel of Nemotron-H that routes by itself.

## Why

Redundant and moved experts need the routing outside of the expert kernel. TensorRT-LLM's kernel routes
inside, and CuteDSL's keeps its scales where the experts were.

## Fix

Use `--moe-runner-backend flashinfer_trtllm_routed`, or leave it out.

## References

- SGLang 0.5.23 `arg_groups/model_overrides/nemotron_h.py:150`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import classes
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import first_class, refuse, sglang_rule


@sglang_rule("PAR317", "moved-experts-runner", source="model_overrides/nemotron_h.py:150")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the kernel with the placement of experts."""
    given, held = view.arguments, view.after("memory.budget")
    if first_class(view) not in classes.NEMOTRON_H:
        return
    moved = given["enable_eplb"] or given["ep_num_redundant_experts"] > 0
    moved = moved or given["init_expert_location"] != "trivial"
    runner = held.moe_runner_backend
    stale = given["enable_eplb"] and runner == "flashinfer_cutedsl" and held.moe_a2a_backend == "none"
    if (moved and runner == "flashinfer_trtllm") or stale:
        message = f"moe-runner-backend {runner} does not take moved or redundant experts on Nemotron-H"
        yield refuse(view, "moe_runner_backend", message, "use moe-runner-backend flashinfer_trtllm_routed")
