"""A replica needs more GPUs than the node has, and nothing says where the others are.

## Why

Without `--nnodes` and without an executor vLLM starts every rank of a replica on this node. It compares tp
x pp x prefill context parallelism with the GPUs that it sees; data parallel ranks are not counted here and
die later, in the worker (PAR106). An explicit `--distributed-executor-backend`, and `--nnodes` above 1,
switch the check off.

## Fix

Lower a size, or say how many nodes there are: `--nnodes` on every node.

## References

- vLLM 0.33.0 `vllm/config/parallel.py:1071`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule
from launchplan.units import plural


@vllm_rule("PAR201", "world-fits-node", source="config/parallel.py:1071")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the ranks of a replica with the GPUs of the node."""
    sizes, have = view.settings.parallel, view.gpus_on_node
    if sizes.nnodes > 1 or view.arguments["distributed_executor_backend"] is not None or have is None:
        return
    if sizes.world_size_across_dp > 1 and sizes.world_size > have:
        product = " x ".join(
            f"{name} {size}"
            for name, size in (("tp", sizes.tp), ("pp", sizes.pp), ("pcp", sizes.pcp))
            if size > 1
        )
        nodes = -(-sizes.world_size // have)
        message = f"{product} needs {plural(sizes.world_size, 'GPU')} of this node, which has {have}"
        yield refuse(
            view, "tensor_parallel_size", message, f"lower a size, or give --nnodes {nodes} on {nodes} nodes"
        )
