"""Several nodes with a rank or a backend that does not go with them.

## Why

With `--nnodes` the processes of all nodes find each other without Ray, each node has a rank from 0 on, and
an executor that spans nodes.

## Fix

Give `--node-rank` from 0 to nnodes - 1; leave the backends out.

## References

- vLLM 0.33.0 `vllm/engine/arg_utils.py:2391`, `:2415`, `vllm/config/parallel.py:1104`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule
from launchplan.rules.wording import cut

EXECUTORS = frozenset({None, "mp", "uni", "external_launcher"})


@vllm_rule("PAR209", "nodes-agree", source="engine/arg_utils.py:2415")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at rank and backends of a node among several."""
    nnodes, rank = view.settings.parallel.nnodes, count(view, "node_rank", -(2**31)) or 0
    if nnodes == 1:
        return
    backend, executor = text(view, "data_parallel_backend"), text(view, "distributed_executor_backend")
    if backend not in {None, "mp"}:
        message = f"nnodes {nnodes} goes without Ray, data-parallel-backend is {backend}"
        yield refuse(view, "data_parallel_backend", message, "use mp", source="engine/arg_utils.py:2391")
    elif not 0 <= rank < nnodes:
        message = f"node-rank {rank} does not exist: ranks go from 0 to {nnodes - 1}"
        yield refuse(view, "node_rank", message, "give this node's rank, counted from 0")
    elif executor not in EXECUTORS:
        message = f"nnodes {nnodes} does not go with the executor {cut(executor or '')}"
        yield refuse(
            view, "distributed_executor_backend", message, "use mp", source="config/parallel.py:1104"
        )
