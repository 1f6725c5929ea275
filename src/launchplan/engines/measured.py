"""Which terms of a kept log count for a plan: those whose settings are still the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from pydantic import JsonValue

from launchplan.memory.measured import Measured
from launchplan.memory.vllm.budget import VllmMemory

if TYPE_CHECKING:
    from launchplan.engines.view import EngineView
    from launchplan.memory.sglang.budget import SglangMemory
    from launchplan.memory.terms import TermName
    from launchplan.recipe import MeasuredPool

_WEIGHTS = ("engine", "checkpoint", "layout", "draft")
_RUN = (*_WEIGHTS, "version", "gpu", "batch", "encodes")
# What each term depends on; a pool depends on everything.
_NEEDED: dict[TermName, tuple[str, ...]] = {
    "driver": ("gpu",),
    "non-torch": ("engine", "version", "gpu", "layout"),
    "weights": _WEIGHTS,
    "activations": _RUN,
    "cuda graphs": (*_RUN, "graphs"),
    "pool": (*_RUN, "graphs", "share", "cache"),
}


def launch_settings(view: EngineView, inputs: VllmMemory | SglangMemory) -> dict[str, JsonValue]:
    """Write down what decides a rank's memory, as a kept log has it."""
    deployment = view.pool.deployment
    if isinstance(inputs, VllmMemory):
        share, cache = inputs.utilization, asdict(inputs.cache)
        batch = {"tokens": inputs.batch_tokens, "requests": inputs.max_num_seqs}
    else:
        share, cache = inputs.fraction, asdict(inputs.pools)
        batch = {"tokens": inputs.batch_tokens, "requests": inputs.decode_requests}
    return {
        "engine": view.engine,
        "version": deployment.version,
        "gpu": view.pool.gpu_name,
        "checkpoint": view.pool.deployment.checkpoint,
        "layout": _plain(asdict(inputs.weights)),
        "draft": inputs.draft is not None,
        "batch": _plain(batch),
        "encodes": inputs.encodes,
        "graphs": inputs.capture_sizes,
        "share": share,
        "cache": _plain(cache),
    }


def usable(
    view: EngineView, inputs: VllmMemory | SglangMemory, kept: MeasuredPool
) -> tuple[tuple[Measured, ...], tuple[str, ...]]:
    """Give the kept terms that count for this plan, and say why the others don't."""
    now = launch_settings(view, inputs)
    found: list[Measured] = []
    reasons: list[str] = []
    for name, term in kept.terms.items():
        other = [key for key in _NEEDED[name] if kept.settings.get(key) != now[key]]
        if other:
            reasons.append(f"{name} of {kept.log} is not used: {_difference(other, kept.settings, now)}")
        else:
            found.append(Measured(name, term.gib, term.step_gib, kept.log))
    return tuple(found), tuple(reasons)


def _difference(keys: list[str], then: Mapping[str, JsonValue], now: Mapping[str, JsonValue]) -> str:
    """Name the first setting that differs, and its two values."""
    key = keys[0]
    before, after = then.get(key), now[key]
    if isinstance(before, dict) and isinstance(after, dict):
        part = next((name for name in after if before.get(name) != after[name]), None)
        if part is not None:
            return f"{part} was {before.get(part)}, is {after[part]}"
    return f"{key} was {before}, is {after}"


def _plain(values: Mapping[str, object]) -> dict[str, JsonValue]:
    """Make values that a file holds: numbers and words stay, all else is written out."""
    return {
        name: each if each is None or isinstance(each, bool | int | float | str) else str(each)
        for name, each in values.items()
    }
