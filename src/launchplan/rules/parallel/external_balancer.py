"""A replica of its own behind an external load balancer, told too little or too much.

## Why

With `--data-parallel-external-lb`, or a `--data-parallel-rank`, each process is one data parallel rank and
somebody else spreads the requests. vLLM then wants the rank, more than one rank in all, one rank a process,
and a model with experts to share: dense replicas have nothing to do with one another.

## Fix

Give `--data-parallel-rank`; start dense models as independent servers, without data parallel flags.

## References

- vLLM 0.33.0 `vllm/engine/arg_utils.py:2437`, `:2461`, `:2469`, `:2476`, `vllm/config/parallel.py:552`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("PAR205", "external-balancer", source="engine/arg_utils.py:2469")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at what an external balancer needs."""
    asked = on(view, "data_parallel_external_lb")
    rank, dp = count(view, "data_parallel_rank"), count(view, "data_parallel_size", 1) or 1
    local, nnodes = count(view, "data_parallel_size_local"), view.settings.parallel.nnodes
    name = "data_parallel_external_lb" if asked else "data_parallel_rank"
    if (not asked and view.arguments["data_parallel_rank"] is None) or on(view, "data_parallel_hybrid_lb"):
        return
    if dp > 1 and view.settings.model.moe is False:
        message = (
            "an external load balancer spreads requests over a dense model's replicas: nothing is shared"
        )
        yield refuse(
            view, name, message, "start independent servers without data-parallel flags", source=DENSE
        )
    elif rank is None and asked and not (nnodes > 1 and dp > 1 and nnodes % dp == 0):
        yield refuse(
            view, name, "data-parallel-external-lb needs this process's rank", "add --data-parallel-rank"
        )
    elif local not in {None, 1}:
        message = f"an external load balancer has one rank a process, data-parallel-size-local is {local}"
        yield refuse(view, "data_parallel_size_local", message, "leave it out", source=LOCAL)
    elif dp == 1:
        message = "an external load balancer needs more than one data parallel rank"
        yield refuse(
            view, name, message, "remove it, or raise data-parallel-size", source="config/parallel.py:552"
        )


DENSE, LOCAL = "engine/arg_utils.py:2461", "engine/arg_utils.py:2476"
