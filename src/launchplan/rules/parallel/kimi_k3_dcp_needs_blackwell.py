"""Kimi-K3 with decode context parallelism on a GPU that SGLang has no backend for.

## Why

For Kimi-K3 SGLang runs decode context parallelism with its CuteDSL attention alone, which exists for
Blackwell (compute capability 10.x); on AMD GPUs it takes aiter. On Hopper it refuses to start.

## Fix

Leave `dcp` out on Hopper, or use B200, B300, GB200 or GB300.

## References

- SGLang 0.5.23 `arg_groups/overrides.py:1245`, `arg_groups/model_overrides/kimi_k3.py:110`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule

MODEL = "KimiK3ForConditionalGeneration"
BLACKWELL = 10


@rule(
    "PAR123",
    "kimi-k3-dcp-needs-blackwell",
    severity=ERROR,
    engines=("sglang",),
    since={"sglang": "0.5.23"},
    source="sglang/srt/arg_groups/overrides.py:1245 (0.5.23)",
    at="config",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the GPU with what the backend needs."""
    capability = pool.gpu.capability if pool.gpu else None
    if pool.parallel.dcp == 1 or capability is None or capability[0] == BLACKWELL:
        return
    if pool.gpu is not None and pool.architecture and MODEL in pool.architecture.architectures:
        has = f"{capability[0]}.{capability[1]}"
        message = f"dcp on Kimi-K3 needs compute capability 10.x with sglang; {pool.gpu.id} has {has}"
        yield Violation(message, pool.path("parallel", "dcp"), "leave dcp out, or use a Blackwell GPU")
