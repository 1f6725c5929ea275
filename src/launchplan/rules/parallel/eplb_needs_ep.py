"""The expert load balancer without expert parallelism.

## Why

`--enable-eplb` moves whole experts between ranks. Both engines refuse it where experts are cut over the ranks
instead, and vLLM where there is one rank only.

## Fix

Set `parallel.ep`, or remove `enable-eplb`.

## References

- vLLM 0.33.0 `vllm/config/parallel.py:570`, `:579`
- SGLang 0.5.23 `arg_groups/parallel_hook.py:791`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.given import switched_on
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.widths import expert_parallel


@rule(
    "PAR122",
    "eplb-needs-ep",
    severity=ERROR,
    since={"sglang": "0.5.3"},  # before, flags that are gone widened ep: --enable-ep-moe, --enable-deepep-moe
    source={
        "vllm": "vllm/config/parallel.py:570, 579 (0.33.0)",
        "sglang": "sglang/srt/arg_groups/parallel_hook.py:791 (0.5.23)",
    },
    at="config",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look for ranks that hold whole experts."""
    if not switched_on(pool, "enable_eplb") or expert_parallel(pool) > 1:
        return
    ranks = pool.parallel.tp * pool.parallel.dp
    fix = f"use ep {ranks}, or remove enable-eplb" if ranks > 1 else "remove enable-eplb"
    path = next((place for name, place in pool.arg_paths.items() if name == "enable-eplb"), ())
    yield Violation("enable-eplb needs expert parallelism, ep is 1", path, fix)
