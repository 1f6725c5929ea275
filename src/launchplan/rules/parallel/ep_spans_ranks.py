"""Expert parallel size that the engine cannot make.

## Why

For vLLM expert parallelism is a switch: `--enable-expert-parallel` spreads the experts over all tp x dp
ranks of a stage, so any other size says something that will not happen. SGLang takes a size, which must
divide its tensor parallel size (attention data parallelism counted in); otherwise the scheduler process dies
before it loads anything.

## Fix

vLLM: `ep` 1, or tp x dp. SGLang: a divisor of tp x dp.

## References

- vLLM 0.33.0 `vllm/config/parallel.py` (`enable_expert_parallel`),
  `model_executor/layers/fused_moe/config.py`
- SGLang 0.5.23 `runtime_context.py:347` (tp = moe_ep x moe_dp x moe_tp)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.cures import divisor_cure
from launchplan.rules.given import raw_count
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.widths import engine_tp


@rule(
    "PAR109",
    "ep-spans-ranks",
    severity=ERROR,
    source={
        "vllm": "vllm/config/parallel.py: expert parallelism is a switch (0.33.0)",
        "sglang": "sglang/srt/runtime_context.py:347 (0.5.23)",
    },
    at="config",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the expert parallel size with the ranks that it splits."""
    parallel, path = pool.parallel, pool.path("parallel", "ep")
    if parallel.ep == 1:
        return
    if pool.deployment.engine == "vllm":
        ranks = parallel.tp * parallel.dp
        if parallel.ep != ranks:
            message = f"ep {parallel.ep} is neither 1 nor tp x dp = {parallel.tp} x {parallel.dp} = {ranks}"
            yield Violation(message, path, f"use ep {ranks}: vllm spreads experts over all of them or none")
        return
    size, groups = engine_tp(pool), raw_count(pool, "moe_dp_size") or 1
    if size % (parallel.ep * groups):
        extra = f" x moe-dp-size {groups}" if groups > 1 else ""
        message = f"ep {parallel.ep}{extra} does not divide the {size} ranks of tp x dp"
        yield Violation(message, path, divisor_cure("ep", parallel.ep, size // groups or 1, size))
