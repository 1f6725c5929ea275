"""How many ranks share each part of a model, as the engine counts them.

vLLM 0.33.0: `model_executor/layers/fused_moe/config.py` (experts are split by tp x dp x pcp without expert
parallelism, not at all with it). SGLang 0.5.23: `runtime_context.py:_validate_parallel`
(tp = attention tp x dp x cp, tp = moe tp x ep x moe dp).
"""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines.sglang.view import SglangView
from launchplan.engines.view import EngineView
from launchplan.rules.past import size, unread

EXPERT_SWITCHES = ("--enable-ep-moe", "--enable-deepep-moe")
"""Gone with SGLang 0.5.3; each made ep as large as tp (sglang 0.4.7 srt/server_args.py)."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Ranks a part is cut over; None where the engine's sizes do not divide (other rules)."""

    engine: int
    """Tensor parallel size as the engine is told: vocabulary, embeddings."""
    attention: int | None
    """Heads, recurrent layers, vision."""
    dense: int
    """Dense MLPs and shared experts."""
    experts: int | None
    """One expert."""
    expert_groups: int
    """Expert parallel size."""


def sizes_of(view: EngineView) -> Sizes:
    """Give the sizes of one engine process."""
    return _sglang(view) if isinstance(view, SglangView) else _vllm(view)


def engine_size(view: EngineView) -> int:
    """Give the tensor parallel size as the engine is told, without a look at the others."""
    if isinstance(view, SglangView):
        return max(1, view.settings.tp_size)
    return size(view, "tensor_parallel_size")


def _sglang(view: SglangView) -> Sizes:
    settings = view.settings
    tp = engine_size(view)
    whole_experts = _whole_experts(view)
    parts = tp if whole_experts else settings.ep_size * settings.moe_dp_size
    whole = parts > 0 and tp % parts == 0
    dense = settings.moe_dense_tp_size or tp
    groups = tp if whole_experts else max(1, settings.ep_size)
    return Sizes(tp, settings.attention_tp, dense, tp // parts if whole else None, groups)


def _whole_experts(view: SglangView) -> bool:
    """Look for the switches of older releases that spread whole experts over all ranks."""
    return any(unread(view, flag) is not None for flag in EXPERT_SWITCHES)


def _vllm(view: EngineView) -> Sizes:
    tp, dp = engine_size(view), size(view, "data_parallel_size")
    ranks = tp * dp * size(view, "prefill_context_parallel_size")
    if view.arguments["enable_expert_parallel"]:
        return Sizes(tp, tp, tp, 1, ranks)
    return Sizes(tp, tp, tp, ranks, 1)
