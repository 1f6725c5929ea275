"""Expert parallelism on a model without experts.

## Why

vLLM refuses `--enable-expert-parallel` when the configuration counts no experts.

## Fix

Leave `ep` out; a dense model is split by `tp` and `pp`, and `dp` makes replicas.

## References

- vLLM 0.33.0 `vllm/config/model.py:1500`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.resolve import ResolvedPool
from launchplan.rules.given import switched_on
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.vllm import settled

COUNTED = frozenset({"nemotron_h"})
"""Families whose configuration class counts experts by default: vLLM starts, and spreads nothing."""


@rule(
    "PAR111",
    "ep-needs-experts",
    severity=ERROR,
    engines=("vllm",),
    source="vllm/config/model.py:1500 (0.33.0)",
    at="config",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for experts to spread."""
    known, pool = settled(view), view.pool
    if known is None:
        yield from _by_recipe(pool)
    elif known.settings.parallel.expert_parallel and known.settings.model.experts == 0:
        size = pool.parallel.ep
        message = f"ep {size}" if size > 1 else "enable-expert-parallel"
        place = pool.path("parallel", "ep") if size > 1 else view.path("enable_expert_parallel")
        fix = "leave ep out" if size > 1 else "remove it"
        yield Violation(f"{message}, but the model has no experts", place, fix)


def _by_recipe(pool: ResolvedPool) -> Iterator[Violation]:
    if not without_experts(pool) or (pool.architecture and pool.architecture.family in COUNTED):
        return
    if pool.parallel.ep > 1:
        message = f"ep {pool.parallel.ep}, but the model has no experts"
        yield Violation(message, pool.path("parallel", "ep"), "leave ep out")
    elif switched_on(pool, "enable_expert_parallel"):
        path = next((path for name, path in pool.arg_paths.items() if name == "enable-expert-parallel"), ())
        yield Violation("enable-expert-parallel, but the model has no experts", path, "remove it")


def without_experts(pool: ResolvedPool) -> bool:
    """Tell whether it is known that the model has no experts."""
    return pool.architecture is not None and pool.architecture.known and not pool.architecture.is_moe
