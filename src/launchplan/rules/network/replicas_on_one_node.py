"""SGLang replicas over several nodes.

## Why

For a dense model `dp` makes whole replicas inside one SGLang server (`--dp-size`), and SGLang makes them on
one node only. Attention data parallelism, which reaches across nodes, is for models with experts.

## Fix

Start one server a node and put a router in front of them, or use `tp` and `pp` across the nodes.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:199`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.widths import is_replicated


@rule(
    "NET105",
    "replicas-on-one-node",
    severity=ERROR,
    engines=("sglang",),
    source="sglang/srt/arg_groups/validation_hook.py:199 (0.5.23)",
    at="config",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look for replicas on more than one node."""
    if pool.nodes == 1 or not is_replicated(pool):
        return
    message = (
        f"dp {pool.parallel.dp} makes replicas, which sglang keeps on one node; hardware has {pool.nodes}"
    )
    yield Violation(
        message, pool.path("parallel", "dp"), "start one server a node behind a router, or use tp and pp"
    )
