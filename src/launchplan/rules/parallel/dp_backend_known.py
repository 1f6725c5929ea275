"""A way to start data parallel ranks that vLLM does not have, or profiling without it.

## Why

Ranks are started as processes (`mp`) or by Ray; profiling of workers by Nsight is Ray's.

## Fix

Use `data-parallel-backend mp` or `ray`; remove `ray-workers-use-nsight` where Ray does not run the workers.

## References

- vLLM 0.33.0 `vllm/engine/arg_utils.py:2547`, `vllm/config/parallel.py:1174`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import on, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import names_are_known, refuse, vllm_rule
from launchplan.rules.wording import shown


@vllm_rule(
    "PAR219",
    "dp-backend-known",
    source="engine/arg_utils.py:2547",
    about=("data_parallel_backend", "ray_workers_use_nsight"),
)
def check(view: VllmView) -> Iterator[Violation]:
    """Look the backend up."""
    name, address = text(view, "data_parallel_backend"), text(view, "data_parallel_address")
    if name not in {None, "mp", "ray"} and address is None and names_are_known(view):
        message = f"data-parallel-backend is {shown(name)}"
        yield refuse(view, "data_parallel_backend", message, "use mp or ray")
    if on(view, "ray_workers_use_nsight") and view.settings.parallel.executor in {"mp", "uni"}:
        message = f"ray-workers-use-nsight with executor {view.settings.parallel.executor}"
        place = "config/parallel.py:1174"
        yield refuse(view, "ray_workers_use_nsight", message, "remove it", source=place)
