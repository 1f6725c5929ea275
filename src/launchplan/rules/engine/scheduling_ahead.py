"""Scheduling ahead where the model runner or the executor cannot.

## Why

vLLM schedules the next step while the model runs, and stops doing so by itself where something does not go
with it. `--async-scheduling` insists: then it refuses to start. The first model runner does not do it with
pipeline stages or with drafts that it finds on the CPU; an executor of one's own not at all.

## Fix

Leave `--async-scheduling` out: it is on wherever it can be.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:1677`, `:1683`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import on
from launchplan.engines.vllm.settings.runner import ahead_gap
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

BUILT_IN = frozenset({None, "mp", "uni", "external_launcher", "ray"})


@vllm_rule("ENG204", "scheduling-ahead", source="config/vllm.py:1677")
def check(view: VllmView) -> Iterator[Violation]:
    """Look for what keeps vLLM from scheduling ahead."""
    settings = view.settings
    if not on(view, "async_scheduling"):
        return
    gap = None if settings.v2_runner else ahead_gap(view, settings.parallel, settings.spec)
    if gap is not None:
        message = f"async-scheduling does not go with {gap} on model runner V1"
        yield refuse(view, "async_scheduling", message, "leave it out")
    elif settings.parallel.executor not in BUILT_IN:
        message = "async-scheduling does not go with an executor of one's own"
        yield refuse(view, "async_scheduling", message, "leave it out", source="config/vllm.py:1683")
