"""Expert parallel size that the engine cannot make.

## Why

For vLLM expert parallelism is a switch: `--enable-expert-parallel` spreads the experts over all tp x dp
ranks of a stage, so any other size says something that will not happen.

## Fix

Use `ep` 1, or tp x dp.

## References

- vLLM 0.33.0 `vllm/config/parallel.py` (`enable_expert_parallel`),
  `model_executor/layers/fused_moe/config.py`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "PAR109",
    "ep-spans-ranks",
    severity=ERROR,
    engines=("vllm",),
    source="vllm/config/parallel.py: expert parallelism is a switch (0.33.0)",
    at="config",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the expert parallel size with the ranks that it splits."""
    parallel, path = pool.parallel, pool.path("parallel", "ep")
    if parallel.ep == 1:
        return
    ranks = parallel.tp * parallel.dp
    if parallel.ep != ranks:
        message = f"ep {parallel.ep} is neither 1 nor tp x dp = {parallel.tp} x {parallel.dp} = {ranks}"
        yield Violation(message, path, f"use ep {ranks}: vllm spreads experts over all of them or none")
