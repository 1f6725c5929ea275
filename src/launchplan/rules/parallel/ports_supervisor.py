"""A supervisor of one server a rank that cannot start them.

## Why

`--data-parallel-multi-port-external-lb` starts one API server for every rank of this node, on ports in a
row, and gives the ranks itself. It wants two ranks or more here, as many on every node, one API server
each, and no other load balancing flag.

## Fix

Set `--data-parallel-size-local` to a divisor of the data parallel size, and remove the flag that is named.

## References

- vLLM 0.33.0 `vllm/entrypoints/launchers/dp_supervisor.py:50-110`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

FLAG = "data_parallel_multi_port_external_lb"


@vllm_rule("PAR208", "ports-supervisor", source="entrypoints/launchers/dp_supervisor.py:88", at="config")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at what the supervisor wants, in its order."""
    if on(view, FLAG):
        problem = next((text for broken, text in _demands(view) if broken), None)
        if problem is not None:
            yield refuse(view, FLAG, f"data-parallel-multi-port-external-lb {problem}")


def _demands(view: VllmView) -> Iterator[tuple[bool, str]]:
    given = view.arguments
    dp, local = count(view, "data_parallel_size") or 1, count(view, "data_parallel_size_local") or 0
    start, port = given["data_parallel_start_rank"], count(view, "port") or 0
    first = start if isinstance(start, int) else (count(view, "node_rank") or 0) * local
    other = on(view, "data_parallel_external_lb") or on(view, "data_parallel_hybrid_lb")
    yield on(view, "grpc"), "does not go with grpc"
    yield given["uds"] is not None, "does not go with uds"
    yield (
        bool(given["ssl_keyfile"]) != bool(given["ssl_certfile"]),
        "wants ssl-keyfile and ssl-certfile together",
    )
    yield given["api_server_count"] not in {None, 1}, "starts one API server a rank: remove api-server-count"
    yield given["data_parallel_rank"] is not None, "gives the ranks itself: remove data-parallel-rank"
    yield other, "does not go with another load balancing flag"
    yield dp < 2, f"needs data-parallel-size above 1, it is {dp}"
    yield local < 2, "needs data-parallel-size-local of 2 or more"
    yield local > dp, f"has {local} ranks here of {dp} in all"
    yield local > 0 and dp % local != 0, f"needs as many ranks on each node: {local} does not divide {dp}"
    yield first + local > dp, f"would start rank {first + local - 1} of {dp}"
    own = count(view, "data_parallel_supervisor_port")
    yield own is not None and port <= own < port + local, f"has its own port {own} among those of its servers"
