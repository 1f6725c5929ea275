"""A load balancer on every node that does not know the ranks of its node.

## Why

With `--data-parallel-hybrid-lb` each node balances over its own ranks, so it has to know how many they are.
A headless node has no API server that could balance.

## Fix

Add `--data-parallel-size-local`; leave the flag out on headless nodes.

## References

- vLLM 0.33.0 `vllm/engine/arg_utils.py:2380`, `:2520`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("PAR206", "hybrid-balancer", source="engine/arg_utils.py:2520")
def check(view: VllmView) -> Iterator[Violation]:
    """Look for the ranks of this node."""
    name = "data_parallel_hybrid_lb"
    if not on(view, name):
        return
    inferred = view.settings.parallel.nnodes > 1
    if on(view, "headless"):
        message = "data-parallel-hybrid-lb on a headless node, which has no API server"
        yield refuse(view, name, message, "remove one of them", source="engine/arg_utils.py:2380")
    elif count(view, "data_parallel_size_local") is None and not inferred and not _is_external(view):
        message = "data-parallel-hybrid-lb needs the number of data parallel ranks on this node"
        yield refuse(view, name, message, "add --data-parallel-size-local")


def _is_external(view: VllmView) -> bool:
    return on(view, "data_parallel_external_lb") or view.arguments["data_parallel_rank"] is not None
