"""The experts do not divide over the expert parallel ranks.

## Why

SGLang gives each expert parallel rank the same number of routed experts and asserts it. vLLM lets ranks
differ, unless its load balancer (`--enable-eplb`) moves experts about: then experts and redundant experts
together must divide.

## Fix

Take an expert parallel size that divides the experts. With vLLM's balancer, add redundant experts up to the
next multiple.

## References

- SGLang 0.5.23 `layers/moe/fused_moe_triton/layer.py:414`
- vLLM 0.33.0 `vllm/model_executor/layers/fused_moe/layer.py:275`
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from launchplan.engines.view import EngineView
from launchplan.rules.cures import divisor_cure
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sizes import sizes_of
from launchplan.units import plural


@rule(
    "PAR110",
    "ep-splits-experts",
    severity=ERROR,
    source={
        "vllm": "vllm/model_executor/layers/fused_moe/layer.py:275 (0.33.0)",
        "sglang": "sglang/srt/layers/moe/fused_moe_triton/layer.py:414 (0.5.23)",
    },
    at="worker",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the experts with the ranks that hold them."""
    moe, size = view.architecture.moe if view.architecture else None, sizes_of(view).expert_groups
    if moe is None or size == 1:
        return
    if view.engine == "vllm":
        yield from _balanced(view, moe.num_experts, size)
        return
    redundant = view.arguments["ep_num_redundant_experts"] or 0
    if (moe.num_experts + redundant) % size:
        message = f"{_total(moe.num_experts, redundant)} do not divide over ep {size}"
        fitting = math.gcd(moe.num_experts, sizes_of(view).engine)
        fix = divisor_cure("ep", size, fitting, fitting)
        yield Violation(message, view.pool.path("parallel", "ep"), fix)


def _balanced(view: EngineView, experts: int, size: int) -> Iterator[Violation]:
    config = view.arguments["eplb_config"]
    redundant = config.get("num_redundant_experts", 0) if isinstance(config, Mapping) else 0
    if (
        not view.arguments["enable_eplb"]
        or not isinstance(redundant, int)
        or (experts + redundant) % size == 0
    ):
        return
    missing = -experts % size
    fix = f"set num_redundant_experts {missing} in eplb-config: {experts} + {missing} = {experts + missing}"
    message = f"eplb needs even ranks: {_total(experts, redundant)} do not divide over ep {size}"
    yield Violation(message, view.pool.path("parallel", "ep"), fix)


def _total(experts: int, redundant: int) -> str:
    return f"{experts} + {redundant} redundant experts" if redundant else plural(experts, "expert")
