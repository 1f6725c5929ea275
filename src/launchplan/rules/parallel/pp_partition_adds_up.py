"""The layers named for the pipeline stages do not add up.

## Why

`VLLM_PP_LAYER_PARTITION` lists the layers of each stage. vLLM reads it in the workers and stops unless it
has one number a stage and their sum is the model's layers. With recurrent layers among others, stages
must also hold the same mix: their cache pages differ in size otherwise, and the engine refuses later.

## Fix

Give `pp` numbers that add up to the layers, or leave the variable out.

## References

- vLLM 0.33.0 `vllm/distributed/utils.py:216`, `:221`, `:223`
- vllm-project/vllm issue about stages with different mixes of layers (0.20)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.given import environment
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import shown
from launchplan.units import plural

VARIABLE = "VLLM_PP_LAYER_PARTITION"


@rule(
    "PAR404",
    "pp-partition-adds-up",
    severity=ERROR,
    engines=("vllm",),
    source="vllm/distributed/utils.py:216-223 (0.33.0)",
    at="worker",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the list with the stages and the layers."""
    text = environment(pool).get(VARIABLE)
    layers = pool.architecture.num_hidden_layers if pool.architecture else None
    if not text:
        return
    problem = _problem(text, pool.parallel.pp, layers)
    if problem is not None:
        yield Violation(f"{VARIABLE} {shown(text)} {problem}", pool.path("env", VARIABLE), "leave it out")


def _problem(text: str, stages: int, layers: int | None) -> str | None:
    try:
        parts = [int(part) for part in text.split(",")]
    except ValueError:
        return "is no list of numbers"
    if len(parts) != stages:
        return f"has {plural(len(parts), 'number')} for pp {stages}"
    if layers is not None and sum(parts) != layers:
        return f"adds up to {sum(parts)}, the model has {plural(layers, 'layer')}"
    return None
