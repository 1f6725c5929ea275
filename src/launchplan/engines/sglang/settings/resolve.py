"""The order in which SGLang 0.5.23 settles its arguments (`arg_groups/pipeline.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from launchplan.engines.sglang.settings import (
    attention,
    capability,
    cuda_graph,
    diffusion,
    disaggregation,
    kv,
    mamba,
    memory,
    models,
    moe,
    parallel,
    speculative,
)
from launchplan.engines.sglang.settings.given import FABRIC_GPUS, EarlyStep, Given, Step
from launchplan.engines.sglang.settings.model import read_model
from launchplan.engines.sglang.settings.types import Graph, SglangSettings
from launchplan.engines.view import EngineView
from launchplan.units import MIB

STEPS: tuple[Step, ...] = (
    parallel.attention_dp,
    moe.mega_alias,
    speculative.hidden_states,
    attention.renamed,
    capability.names,
    disaggregation.roles,
    parallel.decode_context,
    parallel.expert_weights_on_demand,
    cuda_graph.configure,
    memory.budget,
    models.defaults,
    mamba.kimi_kernels,
    models.late,
    mamba.radix_cache,
    moe.allreduce_fusion,
    attention.sampling,
    attention.deterministic,
    kv.fp4_prefill,
    attention.backends,
    attention.after_checks,
    cuda_graph.latent_prefill,
    mamba.linear_kernels,
    kv.fp4_drafts,
    attention.page_default,
    attention.item_scoring,
    parallel.data_parallelism,
    parallel.load_balance,
    cuda_graph.context_parallel_prefill,
    memory.sharded,
    moe.runner,
    moe.all_to_all,
    parallel.expert_dispatch,
    parallel.pipeline_overlap,
    speculative.draft_runner,
    speculative.algorithm,
    diffusion.denoising,
    capability.dumps,
    capability.limits,
)
"""Every step that changes a value, in the engine's order."""
EARLY: tuple[EarlyStep, ...] = (
    parallel.attention_dp,
    moe.mega_alias,
    speculative.hidden_states,
    attention.renamed,
    capability.names,
    disaggregation.roles,
    parallel.expert_weights_on_demand,
    parallel.load_balance,
    moe.all_to_all,
    parallel.pipeline_overlap,
)
"""The steps that can be taken without knowing model and GPU."""


def _name(step: Step | EarlyStep) -> str:
    return f"{step.__module__.rpartition('.')[2]}.{step.__name__}"


_FALLBACKS: Mapping[str, Any] = {"swa_full_tokens_ratio": 0.8, "mamba_full_memory_ratio": 0.9}
"""What an unset value counts as (`arg_groups/fields/schedule.py:160`)."""
_OWN = frozenset({"complete", "decode_graph", "prefill_graph", "attn_dp_enabled", "uses_mamba_radix_cache"})
_NAMED = tuple((_name(step), step) for step in STEPS)
_NAMED_EARLY = tuple((_name(step), step) for step in EARLY)
_NAMES = tuple(field.name for field in fields(SglangSettings) if field.name not in _OWN)


@dataclass(frozen=True, slots=True)
class Resolution:
    """The settled values, and the values as each step left them."""

    settings: SglangSettings
    after: Mapping[str, SglangSettings]
    """By step, such as `memory.budget`; only of the early steps when model or GPU are unknown."""
    given: Given | None
    """What the resolution started from; None when model or GPU are unknown."""


def resolve_settings(view: EngineView) -> Resolution:
    """Resolve a command's arguments as the engine does; never raises for arguments that its parser took."""
    given = _given(view)
    now = _start(view.arguments.values, complete=given is not None)
    after: dict[str, SglangSettings] = {}
    if given is None:
        for name, early in _NAMED_EARLY:
            after[name] = now = early(view.arguments, now)
        return Resolution(now, after, None)
    for name, step in _NAMED:
        after[name] = now = step(given, now)
    return Resolution(now, after, given)


def _start(arguments: Mapping[str, Any], *, complete: bool) -> SglangSettings:
    values = {name: arguments.get(name) for name in _NAMES}
    for name, fallback in _FALLBACKS.items():
        values[name] = fallback if values[name] is None else values[name]
    return SglangSettings(
        complete=complete,
        decode_graph=Graph(cuda_graph.FULL),
        prefill_graph=Graph(cuda_graph.BREAKABLE),
        uses_mamba_radix_cache=False,
        attn_dp_enabled=(arguments.get("attn_dp_size") or 1) > 1,
        **values,  # type: ignore[arg-type]
    )


def _given(view: EngineView) -> Given | None:
    gpu, architecture, values = view.gpu, view.architecture, view.arguments.values
    if gpu is None or gpu.capability is None or architecture is None:
        return None
    text_only = bool(values.get("language_model_only"))
    model = read_model(architecture, multimodal=values.get("enable_multimodal"), text_only=text_only)
    if model is None:
        return None
    memory_mib = None if gpu.memory_total_bytes is None else gpu.memory_total_bytes / MIB
    return Given(values, view.env, model, gpu.capability, memory_mib, gpu.id in FABRIC_GPUS)
