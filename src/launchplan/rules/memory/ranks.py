"""The fullest rank of a view for the rules about it, computed once a view, and how they word intervals."""

from __future__ import annotations

from launchplan.engines import EngineView
from launchplan.engines.budgets import memory_inputs, memory_of
from launchplan.engines.sglang.past import past_memory as sglang_past
from launchplan.engines.sglang.view import SglangView
from launchplan.engines.vllm.past import past_memory as vllm_past
from launchplan.engines.vllm.view import VllmView
from launchplan.memo import kept_for_last
from launchplan.memory.budget import Budget
from launchplan.memory.capacity import Concurrency, Count, RankMemory
from launchplan.memory.tensors import TensorClass
from launchplan.memory.terms import Interval
from launchplan.rules.memory.loaded_whole import loads_all
from launchplan.rules.sglang import SINCE as RESOLVED
from launchplan.rules.versions import reaches
from launchplan.units import GIB

_SHARE = {"vllm": "gpu_memory_utilization", "sglang": "mem_fraction_static"}
_TOWER: tuple[TensorClass, ...] = ("vision", "projector")
# Flags after which the pool is not sized from what is left, or sits elsewhere too.
_SIZED_OTHERWISE = ("num_gpu_blocks_override",)


@kept_for_last
def rank_memory(view: EngineView) -> RankMemory | None:
    """Give the fullest rank; None where its memory is not known or weights don't all stand on GPUs."""
    if any(view.arguments[name] is not None for name in _SIZED_OTHERWISE) or not loads_all(view.pool):
        return None
    if isinstance(view, VllmView) and not view.settings.known:
        return vllm_past(view)
    if isinstance(view, SglangView) and _is_older(view):
        return sglang_past(view)
    inputs = memory_inputs(view)
    return memory_of(inputs) if inputs is not None else None


def _is_older(view: SglangView) -> bool:
    """Tell whether the defaults are those of a release before the one whose resolution is known."""
    return view.given is None or not reaches(view.pool.deployment.version, RESOLVED)


def is_certain(memory: RankMemory) -> bool:
    """Tell whether nothing but the terms' own spread is open: without that there is no error."""
    return not memory.budget.uncertain


def is_full(view: EngineView, memory: RankMemory) -> bool:
    """Tell whether nothing is surely left for the pool.

    Unquantized weights of the text model may be too many even where a vision tower is not known well.
    """
    budget, model = memory.budget, view.architecture
    if budget.pool.bytes.high > 0:
        return False
    if is_certain(memory):
        return True
    text = budget.parameter_bytes - sum(budget.by_class.get(name, 0) for name in _TOWER)
    return model is not None and not model.quantization.is_quantized and text > budget.device.total_bytes


def starts_with(budget: Budget) -> bool:
    """Tell whether the share may be free at start; of a unified memory it is the host's that decides."""
    if budget.engine != "vllm" or budget.device.unified:
        return True
    seen = budget.device.total_bytes - budget.term("driver").bytes.low
    return (1 - budget.share) * seen >= budget.before.low


def share_key(view: EngineView) -> str:
    """Name the key of the share of memory that the engine takes."""
    return _SHARE[view.engine]


def gib_text(count: float) -> str:
    """Print GiB to a tenth."""
    return f"{count / GIB:.1f} GiB"


def between(interval: Interval) -> str:
    """Print both ends of an interval."""
    return f"{interval.low / GIB:.1f} to {interval.high / GIB:.1f} GiB"


def longest(memory: RankMemory) -> Concurrency | None:
    """Give how many requests of max_model_len run at once."""
    return memory.capacity.of("max_model_len")


def span(count: Count) -> str:
    """Print both ends of a count, with a tenth where it is small."""
    digits = 1 if count.high < 10 else 0
    return f"{count.low:,.{digits}f} to {count.high:,.{digits}f}"
