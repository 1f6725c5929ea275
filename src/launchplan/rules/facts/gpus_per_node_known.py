"""How many GPUs a node has is not known.

## Why

Ranks can't be placed on hosts, and no command can be written, without the number of GPUs in a node.

## Fix

Give `hardware.gpus_per_node`.

## References

- launchplan's layout
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import shown


@rule("FAC106", "gpus-per-node-known", severity=ERROR)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look for the number of GPUs in a node."""
    if pool.gpus_per_node is not None:
        return
    message = f"how many GPUs a node has is not known for {shown(pool.gpu_name)}: nothing can be placed"
    share = -(-pool.world // pool.nodes)
    yield Violation(
        message, ("hardware",), f"add 'gpus_per_node', {share} or more for {pool.world} ranks on {pool.nodes}"
    )
