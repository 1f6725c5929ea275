"""Two ways of balancing load over data parallel ranks at once.

## Why

Ranks are balanced by one server for all (the default), by one a node (`--data-parallel-hybrid-lb`, `--data-
parallel-start-rank`), or from outside (`--data-parallel-external-lb`, `--data-parallel-rank`, `--data-
parallel-multi-port-external-lb`). The modes exclude each other.

## Fix

Keep one of the flags.

## References

- vLLM 0.33.0 `vllm/entrypoints/cli/serve.py:100`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("PAR207", "one-balancer", source="entrypoints/cli/serve.py:100")
def check(view: VllmView) -> Iterator[Violation]:
    """Count the modes that are asked for."""
    ports, node = on(view, "data_parallel_multi_port_external_lb"), on(view, "data_parallel_hybrid_lb")
    outside = [name for name in ("data_parallel_external_lb", "data_parallel_rank") if _is_given(view, name)]
    inside = ["data_parallel_hybrid_lb"] if node else []
    if not ports and not node and _is_given(view, "data_parallel_start_rank"):
        inside = ["data_parallel_start_rank"]
    asked = [*outside[:1], *inside, *(["data_parallel_multi_port_external_lb"] if ports else [])]
    if len(asked) > 1 and not ports:  # the supervisor of several ports says what it is against (PAR208)
        words = " and ".join(name.replace("_", "-") for name in asked)
        yield refuse(view, asked[0], f"two load balancing modes: {words}", "keep one of them")


def _is_given(view: VllmView, name: str) -> bool:
    value = view.arguments[name]
    return value is True or (isinstance(value, int) and not isinstance(value, bool))
