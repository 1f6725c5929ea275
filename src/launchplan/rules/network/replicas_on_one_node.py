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

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "NET105",
    "replicas-on-one-node",
    severity=ERROR,
    engines=("sglang",),
    source="sglang/srt/arg_groups/validation_hook.py:199 (0.5.23)",
    at="config",
)
def check(view: SglangView) -> Iterator[Violation]:
    """Look for replicas on more than one node."""
    held = view.settings
    if held.dp_size > 1 and held.nnodes != 1:
        message = f"dp {held.dp_size} makes replicas, which sglang keeps on one node; there are {held.nnodes}"
        fix = "start one server a node behind a router, or use tp and pp"
        yield Violation(message, view.path("dp_size"), fix)
