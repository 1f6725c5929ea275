"""Pipeline stages for a class or an executor that has none.

## Why

A model class must hand its hidden states from stage to stage; a few do not. Of the executors only processes
on the nodes, Ray and an external launcher pass them on.

## Fix

Use tp in place of pp, or leave `--distributed-executor-backend` out.

## References

- vLLM 0.33.0 `vllm/config/model.py:1573`, `vllm/engine/arg_utils.py:2920`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule
from launchplan.rules.wording import cut

EXECUTORS = frozenset({None, "mp", "ray", "external_launcher"})


@vllm_rule("PAR203", "pp-supported", source="config/model.py:1573")
def check(view: VllmView) -> Iterator[Violation]:
    """Look for a class and an executor with stages."""
    pp, model = view.settings.parallel.pp, view.settings.model
    if pp == 1:
        return
    executor = view.arguments["distributed_executor_backend"]
    if executor not in EXECUTORS:
        message = f"pp {pp} does not run under the executor {cut(str(executor))}"
        yield refuse(view, "distributed_executor_backend", message, "use mp, or leave it out")
    elif model.supports("pp") is False:
        yield refuse(
            view, "pipeline_parallel_size", f"{model.name} has no pipeline stages, pp is {pp}", "use tp"
        )
