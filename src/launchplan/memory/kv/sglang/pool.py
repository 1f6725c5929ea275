"""How SGLang 0.5.23 divides what weights leave: mem_cache/kv_cache_configurator.py."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import floor
from typing import TYPE_CHECKING

from launchplan.architecture.types import LINEAR_KINDS
from launchplan.memory.inventory.sizes import SizeMissingError
from launchplan.memory.kv.sglang.cells import token_cell
from launchplan.memory.kv.sglang.deepseek_v4 import PAGE
from launchplan.memory.kv.sglang.types import PoolPlan, SglangPoolSettings
from launchplan.memory.kv.state import state_shape
from launchplan.memory.sglang import stage_layers
from launchplan.units import GIB, MIB

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from launchplan.architecture import Architecture
    from launchplan.memory.kv.sglang.types import Cell

_STATE_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
# Kept free for what a multimodal model works on: SGLANG_VLM_CACHE_SIZE_MB, :202.
_MULTIMODAL_BYTES = 100 * MIB
# Requests that run at once when nothing is said: :3120.
_LEAST_RUNNING, _MOST_RUNNING, _RUNNING_CONTEXTS = 2048, 4096, 512


def rest_bytes(
    free_before_bytes: int, free_after_bytes: int, fraction: float, *, multimodal: bool = False
) -> int:
    """Give the bytes for KV and state pools.

    What is free before and after the weights are loaded, and `--mem-fraction-static`, decide: the share of
    the former that is not static stays free (:2990).
    """
    slack = free_before_bytes / GIB * (1 - fraction)
    reserve = _MULTIMODAL_BYTES / GIB if multimodal else 0.0
    return int((free_after_bytes / GIB - slack - reserve) * GIB)


def slots_per_request(*, radix_cache: bool, strategy: str, overlap: bool) -> int:
    """Count the state slots that a request takes under a `--mamba-radix-cache-strategy` (:3062)."""
    if not radix_cache:
        return 1
    if strategy == "extra_buffer":
        return 5 if overlap else 4
    return 4 if strategy == "extra_buffer_lazy" else 3


@dataclass(frozen=True, slots=True)
class _States:
    slots: int
    slot_bytes: int
    left_bytes: int
    """What the state pool leaves for KV."""


def plan_pools(
    model: Architecture,
    settings: SglangPoolSettings,
    available_bytes: int,
    layers: Iterable[int] | None = None,
) -> PoolPlan | None:
    """Size the pools of a rank that holds some layers, all by default; None when a size is unknown.

    With pipeline stages the engine takes the smallest number of tokens of all of them.
    """
    numbers = tuple(range(len(model.layers)) if layers is None else layers)
    try:
        cell, slot = sizes(model, settings, numbers)
        states = None if slot is None else _states(slot, settings, available_bytes)
    except SizeMissingError:
        return None
    left = available_bytes if states is None else states.left_bytes
    tokens = _tokens(model, settings, cell, left)
    return PoolPlan(
        cell=cell,
        tokens=tokens,
        window_tokens=_window_tokens(model, settings, cell, tokens),
        state_slots=None if states is None else states.slots,
        state_bytes=0 if states is None else states.slot_bytes,
        max_running_requests=_running(settings, tokens, states),
        logical_tokens=tokens if cell.window_bytes else tokens * settings.dcp,
    )


@lru_cache(maxsize=4096)
def sizes(
    model: Architecture, settings: SglangPoolSettings, layers: tuple[int, ...]
) -> tuple[Cell, int | None]:
    """Give what a token takes, and what the state of a request does; None without recurrent layers."""
    return token_cell(model, settings, layers), _slot_bytes(model, settings)


def _page(model: Architecture, settings: SglangPoolSettings) -> int:
    return PAGE if model.family == "deepseek_v4" else settings.page_size


def _tokens(model: Architecture, settings: SglangPoolSettings, cell: Cell, left: int) -> int:
    page = _page(model, settings)
    found = _times(cell.bytes, max(left - cell.fixed_bytes, 0)) if cell.bytes else 0
    if settings.max_total_tokens is not None:
        found = min(found, settings.max_total_tokens)
    return found // page * page


def _times(each: Fraction, available: int) -> int:
    """Count how often a part of a byte fits, in whole numbers."""
    return available * each.denominator // each.numerator


def _window_tokens(model: Architecture, settings: SglangPoolSettings, cell: Cell, tokens: int) -> int | None:
    if not cell.window_bytes:
        return None
    page = _page(model, settings)
    return floor(tokens * cell.ratio) // page * page


def _running(settings: SglangPoolSettings, tokens: int, states: _States | None) -> int:
    asked = settings.max_running_requests
    usual = int(tokens / settings.context_length * _RUNNING_CONTEXTS)
    wanted = max(min(usual, _MOST_RUNNING), _LEAST_RUNNING)
    if asked is not None:
        wanted = max(1, asked // settings.attention_dp)
    running = min(wanted, tokens // 2)
    return running if states is None else min(running, states.slots // settings.slots_per_request)


def _states(slot: int, settings: SglangPoolSettings, available: int) -> _States:
    """Divide the memory between states and KV (:3229)."""
    slots = _asked_slots(settings)
    if slots is not None:
        available -= _draft_bytes(settings, slot, slots)
    else:
        share = available * settings.state_memory_ratio / (1 + settings.state_memory_ratio)
        drafts = settings.draft_tokens
        each = slot * (1 + drafts / settings.slots_per_request)
        slots = int((share - slot * (1 + drafts)) // each)
        available -= _draft_bytes(settings, slot, slots)
    return _States(max(slots, 0), slot, available - (max(slots, 0) + 1) * slot)


def _asked_slots(settings: SglangPoolSettings) -> int | None:
    if settings.max_state_slots is not None:
        return settings.max_state_slots // settings.attention_dp
    if not settings.radix_cache and settings.max_running_requests is not None:
        return max(1, settings.max_running_requests // settings.attention_dp)
    return None


def _draft_bytes(settings: SglangPoolSettings, slot: int, slots: int) -> int:
    """Give what the states between the tokens of a draft take."""
    if not settings.draft_tokens:
        return 0
    asked = settings.max_running_requests
    requests = slots // settings.slots_per_request
    if asked is not None:
        requests = min(max(1, asked // settings.attention_dp), requests)
    return slot * (requests + 1) * settings.draft_tokens


def _slot_bytes(model: Architecture, settings: SglangPoolSettings) -> int | None:
    """Give the bytes of one request's state on the stage with the most recurrent layers."""
    if model.linear_attention is None:
        return None
    shape = state_shape(model.linear_attention, settings.attention_tp)
    if shape is None:
        raise SizeMissingError("linear_attention")
    recurrent = [n for n, layer in enumerate(model.layers) if layer.attention in LINEAR_KINDS]
    stages = stage_layers(len(model.layers), settings.pp)
    most = max(sum(number in stage for number in recurrent) for stage in stages)
    whole = shape.bytes(_STATE_BYTES.get(settings.state_dtype, 4)) * len(recurrent)
    return int(whole * (most / max(len(recurrent), 1)))
