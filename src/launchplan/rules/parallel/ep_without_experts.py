"""Expert parallelism that SGLang accepts and that does nothing.

## Why

SGLang takes `--ep-size` for a dense model as long as it divides `--tp-size`, and starts; there is nothing
that it could spread. What was meant is probably another model, or data parallel replicas.

## Fix

Leave `ep` out.

## References

- SGLang 0.5.23: `--tp-size 16 --ep-size 8` on Qwen3-8B passes every check
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.parallel.ep_needs_experts import without_experts
from launchplan.rules.rule import WARNING, Violation, rule


@rule("PAR119", "ep-without-experts", severity=WARNING, engines=("sglang",))
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look for experts to spread."""
    if pool.parallel.ep > 1 and without_experts(pool):
        message = f"ep {pool.parallel.ep} does nothing: the model has no experts"
        yield Violation(message, pool.path("parallel", "ep"), "leave ep out")
