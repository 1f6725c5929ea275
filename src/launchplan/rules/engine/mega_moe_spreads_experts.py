"""DeepSeek V4's fused kernel of experts and exchange without expert parallelism.

## Why

`deep_gemm_mega_moe` exchanges tokens between ranks that hold whole experts. DeepSeek V4's layers refuse it
where experts are split, and where their weights are not four-bit.

## Fix

Add `--enable-expert-parallel`, or leave `--moe-backend` out.

## References

- vLLM 0.33.0 `models/deepseek_v4/nvidia/model.py:228`, `:261`; in 0.25.0 by a benchmark's notes
  (`SemiAnalysisAI/InferenceX` `benchmarks/single_node/fixed_seq_len/dsv4f_fp8_b200_vllm.sh`)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.engines.vllm.experts import asked_backend
from launchplan.rules.rule import ERROR, Violation, rule

NATIVE = "deep_gemm_mega_moe"
FOUR_BITS = frozenset({"fp4", None})


@rule(
    "ENG122",
    "mega-moe-spreads-experts",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.25.0"},
    source="vllm/models/deepseek_v4/nvidia/model.py:228 (0.33.0)",
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look at the ranks and the weights of a model whose layers have the kernel."""
    model = view.architecture
    if model is None or model.family != "deepseek_v4" or asked_backend(view) != NATIVE:
        return
    if not view.arguments["enable_expert_parallel"]:
        message = f"moe-backend {NATIVE} works with expert parallelism only"
        yield Violation(message, view.path("moe_backend"), "set enable-expert-parallel: true")
    elif (width := model.dims.get("expert_dtype")) not in FOUR_BITS:
        message = f"moe-backend {NATIVE} runs four-bit experts only; the checkpoint's are {width}"
        yield Violation(message, view.path("moe_backend"), "leave moe-backend out")
