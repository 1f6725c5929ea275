"""A node of several that the others don't wait for, or that waits for nobody.

## Why

SGLang takes any `--node-rank` and no `--dist-init-addr`. A rank beyond the nodes waits for a group that never
comes together; without an address every node waits for all others on its own loopback.

## Fix

Number the nodes from 0, and give them all the head's `dist-init-addr`.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:178` (the only check), `bootstrap.py`
  (`_resolve_dist_init_method`)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import joins_attention_dp, refuse, sglang_rule


@sglang_rule("ENG379", "node-rank-exists", source="validation_hook.py:178", at="run")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the node's number with the nodes, and look for the address."""
    given = view.arguments
    nodes, rank = given["nnodes"], given["node_rank"]
    if not 0 <= rank < max(nodes, 1):
        message = f"node-rank {rank} is not among the nodes, which count from 0; nnodes is {nodes}"
        fix = "set nnodes" if nodes == 1 else f"use 0 to {nodes - 1}"
        yield refuse(view, "node_rank", message, fix)
    # A recipe's own hosts are given their address when the scripts are made.
    written = "nnodes" in given and "nnodes" not in view.paths and not given["use_ray"]
    if nodes > 1 and given["dist_init_addr"] is None and written and not joins_attention_dp(view):
        message = f"nnodes {nodes} without dist-init-addr: each node waits on its own loopback"
        yield refuse(view, "dist_init_addr", message, "add dist-init-addr HEAD:20000 on every node")
