"""Pipeline stages hold different numbers of layers.

## Why

Both engines split layers that do not divide: some stages get one layer more. The largest stage sets the
pace of the pipeline and the memory that weights take on its GPUs. vLLM gives the extra layers to the stages
before the last one, which also holds the output head; SGLang gives them to the last stages.

## Fix

Nothing has to change. A number of stages that divides the layers is even; vLLM also takes
`VLLM_PP_LAYER_PARTITION`, a list of layers a stage that must add up.

## References

- vLLM 0.33.0 `vllm/distributed/utils.py:223` (`get_pp_indices`)
- SGLang 0.5.23 `distributed/utils.py` (`get_pp_indices`), seen as 61 layers = 30 + 31
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.given import environment
from launchplan.rules.rule import INFO, Violation, rule
from launchplan.units import choice_text

LISTED_STAGES = 12


@rule(
    "PAR105",
    "pp-splits-evenly",
    severity=INFO,
    source={
        "vllm": "vllm/distributed/utils.py:223 (0.33.0)",
        "sglang": "sglang/srt/distributed/utils.py:get_pp_indices (0.5.23)",
    },
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Say how the layers fall on the stages when they do not divide."""
    stages = pool.parallel.pp
    layers = pool.architecture.num_hidden_layers if pool.architecture else None
    if layers is None or layers < stages or layers % stages == 0:
        return
    if "VLLM_PP_LAYER_PARTITION" in environment(pool):
        return
    split = stage_layers(layers, stages, pool.deployment.engine)
    message = f"{layers} layers over pp {stages} are uneven: {_text(split)}"
    even = [size for size in range(2, 2 * stages) if layers % size == 0]
    near = sorted(sorted(even, key=lambda size: abs(size - stages))[:2])
    yield Violation(message, pool.path("parallel", "pp"), f"pp {choice_text(near)} is even" if near else None)


def stage_layers(layers: int, stages: int, engine: str) -> tuple[int, ...]:
    """Split layers over stages as an engine does when nobody tells it how."""
    share, rest = divmod(layers, stages)
    counts = [share] * stages
    last = stages - 1 if engine == "vllm" else stages
    for index in range(rest):
        counts[last - 1 - index] += 1
    return tuple(counts)


def _text(split: tuple[int, ...]) -> str:
    """Write the layers stage by stage, or counted where there are many stages."""
    if len(split) <= LISTED_STAGES:
        return " + ".join(str(count) for count in split)
    sizes = sorted({*split}, reverse=True)
    return " and ".join(f"{split.count(size)} stages of {size}" for size in sizes)
