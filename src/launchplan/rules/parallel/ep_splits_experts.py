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

import json
import math
from collections.abc import Iterator

from pydantic import JsonValue

from launchplan.resolve import ResolvedPool
from launchplan.rules.cures import divisor_cure
from launchplan.rules.given import raw_flags, switched_on
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.widths import expert_parallel
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
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the experts with the ranks that hold them."""
    moe = pool.architecture.moe if pool.architecture else None
    size = expert_parallel(pool)
    if moe is None or size == 1:
        return
    if pool.deployment.engine == "vllm":
        yield from _balanced(pool, moe.num_experts, size)
    elif moe.num_experts % size and "ep_num_redundant_experts" not in raw_flags(pool):
        message = f"{moe.num_experts} experts do not divide over ep {size}"
        fitting = math.gcd(moe.num_experts, pool.parallel.tp * pool.parallel.dp)
        yield Violation(message, pool.path("parallel", "ep"), divisor_cure("ep", size, fitting, fitting))


def _balanced(pool: ResolvedPool, experts: int, size: int) -> Iterator[Violation]:
    if not switched_on(pool, "enable_eplb"):
        return
    redundant = _redundant(raw_flags(pool).get("eplb_config"))
    if redundant is None or (experts + redundant) % size == 0:
        return
    total = f"{experts} + {redundant} redundant experts" if redundant else plural(experts, "expert")
    missing = -experts % size
    fix = f"set num_redundant_experts {missing} in eplb-config: {experts} + {missing} = {experts + missing}"
    yield Violation(
        f"eplb needs even ranks: {total} do not divide over ep {size}", pool.path("parallel", "ep"), fix
    )


def _redundant(value: JsonValue) -> int | None:
    """Read the redundant experts of `--eplb-config`; 0 without, None when they can't be read."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    if value is None:
        return 0
    count = value.get("num_redundant_experts", 0) if isinstance(value, dict) else None
    return count if isinstance(count, int) else None
