"""From SGLang's resolved settings to the memory of its fullest rank."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from launchplan.memory.budget import Device
from launchplan.memory.capacity import Lengths
from launchplan.memory.kv.sglang import SglangPoolSettings, slots_per_request
from launchplan.memory.sglang import SglangWeights
from launchplan.memory.sglang.budget import SglangMemory

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.engines.sglang.settings import SglangSettings
    from launchplan.engines.sglang.view import SglangView

# Algorithms whose draft is the model's own prediction layer.
_OWN_DRAFTS = frozenset({"NEXTN", "EAGLE"})
_NO_SHARE = 1000.0
"""From here on a share of the memory is no share; what follows from it leaves the range of floats."""


def memory_inputs(view: SglangView) -> SglangMemory | None:
    """Collect what decides the memory of a rank; None when model, GPU or a setting is not known."""
    model, gpu, now = view.architecture, view.gpu, view.settings
    if model is None or gpu is None or gpu.memory_total_bytes is None or not now.complete:
        return None
    share = now.mem_fraction_static
    if share is None or not abs(share) < _NO_SHARE or not _nests(now, len(model.layers)):
        return None
    length = now.context_length or model.derived_max_model_len
    if length is None:
        return None
    chunk = now.chunked_prefill_size or 0
    workload = view.pool.deployment.recipe.value.workload
    graph = now.decode_graph
    return SglangMemory(
        model=model,
        device=Device(gpu.memory_total_bytes, unified=gpu.unified_memory),
        weights=_weights(view, now, model),
        pools=_pools(view, now, model, length),
        lengths=Lengths(length, workload.context_tokens, workload.tail_context_tokens),
        fraction=share,
        batch_tokens=chunk if chunk > 0 else now.max_prefill_tokens,
        decode_requests=graph.max_bs or 1,
        capture_sizes=len(graph.sizes or ()) if graph.on else 0,
        encodes=model.vision is not None and now.disaggregation_mode != "decode",
        draft=None if _own_draft(view, now, model) else view.pool.draft,
    )


def _nests(now: SglangSettings, layers: int) -> bool:
    """Tell whether the groups of ranks divide each other; other rules speak where they don't."""
    sizes = (
        now.tp_size,
        now.pp_size,
        now.attn_dp_size,
        now.ep_size,
        now.dcp_size,
        now.moe_dense_tp_size or 1,
    )
    if min(sizes) < 1 or now.attention_tp is None or now.attention_tp < 1:
        return False
    return now.tp_size % now.ep_size == 0 and now.pp_size <= layers


def _weights(view: SglangView, now: SglangSettings, model: Architecture) -> SglangWeights:
    redundant = view.arguments["ep_num_redundant_experts"]
    return SglangWeights(
        tp=now.tp_size,
        pp=now.pp_size,
        attention_dp=now.attn_dp_size,
        ep=now.ep_size,
        dense_tp=now.moe_dense_tp_size,
        lm_head_by_attention=now.enable_dp_lm_head,
        redundant_experts=redundant if isinstance(redundant, int) else 0,
        capability=view.gpu.capability if view.gpu else None,
        quantization=now.quantization,
        mtp=_own_draft(view, now, model),
    )


def _own_draft(view: SglangView, now: SglangSettings, model: Architecture) -> bool:
    """Tell whether the draft is the model's own prediction layer: SGLang names the model itself then."""
    own = now.speculative_draft_model_path in {None, view.arguments["model_path"]}
    return now.speculative_algorithm in _OWN_DRAFTS and own and bool(model.mtp_layers)


def _pools(view: SglangView, now: SglangSettings, model: Architecture, length: int) -> SglangPoolSettings:
    drafts = now.speculative_num_draft_tokens or 0 if now.speculative_algorithm else 0
    linear = model.linear_attention
    return SglangPoolSettings(
        attention_tp=now.attention_tp or 1,
        attention_dp=now.attn_dp_size,
        dcp=now.dcp_size,
        pp=now.pp_size,
        cache_dtype=now.kv_cache_dtype,
        page_size=now.page_size or 1,
        context_length=length,
        packed_latent="trtllm" not in (now.dsa_decode_backend or ""),
        window_ratio=Fraction(str(now.swa_full_tokens_ratio)),
        state_dtype=now.mamba_ssm_dtype or (linear.state_dtype if linear else None) or "float32",
        state_memory_ratio=now.mamba_full_memory_ratio,
        max_state_slots=now.max_mamba_cache_size,
        max_running_requests=now.max_running_requests,
        max_total_tokens=now.max_total_tokens,
        radix_cache=not now.disable_radix_cache,
        slots_per_request=slots_per_request(
            radix_cache=not now.disable_radix_cache,
            strategy=now.mamba_radix_cache_strategy,
            overlap=not now.disable_overlap_schedule,
        ),
        draft_tokens=drafts,
        draft_layers=1 if _own_draft(view, now, model) else 0,
    )
