"""The load balancer can't move experts of this format.

## Why

vLLM's expert load balancer copies experts between ranks, which each quantization method must know how to do.
Those of GPT-OSS (MXFP4), AWQ, GPTQ and ModelOpt's FP8 don't; the workers refuse when they build the layer.

## Fix

Leave `enable-eplb` out, or take a checkpoint in FP8 or NVFP4.

## References

- vLLM 0.33.0 `vllm/model_executor/layers/fused_moe/routed_experts.py:197`, `fused_moe_method_base.py:127`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.engines.vllm.experts import NO_EPLB_METHODS
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "PAR402",
    "eplb-moves-format",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/model_executor/layers/fused_moe/routed_experts.py:197 (0.33.0)",
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the checkpoint's method with those whose experts move."""
    model = view.architecture
    if model is None or model.moe is None or not view.arguments["enable_eplb"]:
        return
    method = model.quantization.method
    if method in NO_EPLB_METHODS:
        yield Violation(
            f"eplb does not move {method} experts", view.path("enable_eplb"), "remove enable-eplb"
        )
