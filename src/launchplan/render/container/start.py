"""How long a container may take to its first token before it is given up."""

from __future__ import annotations

from launchplan.engines import Launch, head_views
from launchplan.engines.budgets import start_of
from launchplan.memory.cold_start import PUBLISHED_GIGABYTES_PER_S, ColdStart

_STEP_S = 1800
_UNKNOWN_S = 3600
_ENGINE_TIMEOUT = "VLLM_ENGINE_READY_TIMEOUT_S"


def start_budget_s(launch: Launch, role: str) -> int:
    """Give the seconds that a pool's start is granted: twice the slow case, in whole half hours.

    The slow case reads the checkpoint at the site's measured rate, else at the slower of the published ones,
    and takes the longest known times for processes, compilers and graphs around that. It is never less than
    what the engine itself waits for. A router waits for the pools behind it: the longest of theirs.
    """
    views = head_views(launch.layout.resolved, launch)
    starts = [start_of(view) for view in views if role in {view.pool.role, "router"}]
    slow = [2 * _slow_s(start) for start in starts if start is not None] or [_UNKNOWN_S]
    return -(-int(max(*slow, *_waits(launch, role), _STEP_S)) // _STEP_S) * _STEP_S


def _slow_s(start: ColdStart) -> float:
    measured = start.gigabytes_per_s if start.rate_origin == "cluster" else None
    rate = measured or min(start.gigabytes_per_s or PUBLISHED_GIGABYTES_PER_S, PUBLISHED_GIGABYTES_PER_S)
    return start.node_bytes / 1e9 / rate + start.around_s.high


def _waits(launch: Launch, role: str) -> list[int]:
    """Read how long the engines wait where somebody set it."""
    processes = [each for each in launch.processes if role in {each.role, "router"}]
    values = [each.value for process in processes for each in (*launch.env, *process.env)
              if each.name == _ENGINE_TIMEOUT]  # fmt: skip
    texts = [value[0].strip() for value in values if value and isinstance(value[0], str)]
    return [int(each) for each in texts if each.isdecimal()]
