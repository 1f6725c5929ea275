"""From vLLM's resolved settings to the memory of its fullest rank."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from launchplan.engines.vllm.graphs import captured, early_graphs, graphs_counted
from launchplan.engines.vllm.settings import scheduler
from launchplan.engines.vllm.settings.reading import count, mapping, on, text
from launchplan.memory.budget import Device
from launchplan.memory.capacity import Lengths
from launchplan.memory.kv.vllm import VllmCacheSettings
from launchplan.memory.vllm import VllmWeights
from launchplan.memory.vllm.budget import VllmMemory

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.engines.vllm.settings import VllmSettings
    from launchplan.engines.vllm.view import VllmView

# The first block of latent attention's backends (v1/attention/backends/mla), of all others 16 tokens.
_LATENT_BLOCK = 64
_WITHOUT_ENCODER = ("language_model_only", "skip_mm_profiling")
# Defaults on a GPU with 160 GiB or more (engine/arg_utils.py:2940), for makes not known there.
_USUAL_TOKENS, _USUAL_SEQS = 16384, 1024
_CHECKPOINT_STEP = 64
_HOPPER = (9, 0)
_CONSUMER_BLACKWELL = 12


def memory_inputs(view: VllmView) -> VllmMemory | None:
    """Collect what decides the memory of a rank; None when model, GPU or a setting is not known."""
    model, gpu, now = view.architecture, view.gpu, view.settings
    if model is None or gpu is None or gpu.memory_total_bytes is None or not now.known:
        return None
    sizes = (now.parallel.tp, now.parallel.pp, now.parallel.dp, now.parallel.dcp)
    if min(sizes) < 1 or now.parallel.pp > len(model.layers):
        return None
    length = now.max_model_len or scheduler.context_length(view, now.derived_max_model_len)
    if length is None:
        return None
    tokens = now.max_num_batched_tokens or _USUAL_TOKENS
    seqs = now.max_num_seqs or _USUAL_SEQS
    share = view.arguments["gpu_memory_utilization"]
    drafts = (now.spec.tokens or 0) if now.spec else 0
    captured_sizes, graphs = captured(view, now.cudagraph_mode, seqs, drafts)
    workload = view.pool.deployment.recipe.value.workload
    return VllmMemory(
        model=model,
        device=Device(gpu.memory_total_bytes, unified=gpu.unified_memory),
        weights=_weights(view, now),
        cache=_cache(view, now, model, length, tokens),
        lengths=Lengths(length, workload.context_tokens, workload.tail_context_tokens),
        utilization=float(share) if isinstance(share, int | float) else 0.92,
        batch_tokens=tokens,
        max_num_seqs=seqs,
        capture_sizes=captured_sizes,
        graphs=graphs,
        pool_bytes=count(view, "kv_cache_memory_bytes", 1),
        graphs_counted=graphs_counted(view),
        early_graphs=early_graphs(view),
        eager=on(view, "enforce_eager"),
        encodes=model.vision is not None and not any(on(view, name) for name in _WITHOUT_ENCODER),
        draft=now.spec.draft if now.spec else None,
        fp8_cache=_layout(view, model, "fp8"),
        assumed=_assumed(now),
    )  # fmt: skip


def _assumed(now: VllmSettings) -> tuple[str, ...]:
    found: list[str] = []
    if now.max_num_batched_tokens is None:
        found.append(f"max_num_batched_tokens is not known for this GPU; {_USUAL_TOKENS} is taken")
    spec = now.spec
    if spec is not None and spec.tp is not None and not spec.own_layers and spec.draft is None:
        found.append("the draft model's sizes are not known; neither its weights nor its cache are counted")
    return tuple(found)


def _weights(view: VllmView, now: VllmSettings) -> VllmWeights:
    parallel = now.parallel
    redundant = mapping(view, "eplb_config").get("num_redundant_experts")
    return VllmWeights(
        tp=parallel.tp,
        pp=parallel.pp,
        dp=parallel.dp,
        expert_parallel=parallel.expert_parallel,
        all2all_backend=parallel.all2all,
        moe_backend=now.moe_backend or "auto",
        capability=view.gpu.capability if view.gpu else None,
        redundant_experts=redundant if isinstance(redundant, int) else 0,
        vision_by_data=text(view, "mm_encoder_tp_mode") == "data",
        mtp=_own_draft(now),
    )


def _own_draft(now: VllmSettings) -> bool:
    """Tell whether the model's prediction layers are loaded as the draft."""
    return now.spec is not None and now.spec.own_layers and now.spec.method == "mtp"


def _cache(
    view: VllmView, now: VllmSettings, model: Architecture, length: int, tokens: int
) -> VllmCacheSettings:
    state = text(view, "mamba_ssm_cache_dtype")
    block = count(view, "block_size", 1) or (_LATENT_BLOCK if _latent(model) else now.block_size or 16)
    settings = VllmCacheSettings(
        max_model_len=length,
        tp=now.parallel.tp,
        dcp=now.parallel.dcp,
        cache_dtype=_cache_dtype(view, now, model),
        block_size=block,
        state_alignment=_state_alignment(view, now, model),
        state_dtype=None if state in {None, "auto"} else state,
        cache_mode="none" if now.prefix_caching is False else "align",
        in_flight_tokens=tokens * _batches_at_once(now),
    )
    if now.spec is None:
        return settings
    layers = now.spec.layers or 1 if _own_draft(now) else _draft_layers(now, model)
    return replace(settings, speculative_tokens=now.spec.tokens or 0, draft_layers=layers)


def _draft_layers(now: VllmSettings, model: Architecture) -> int:
    """Count the layers of a draft model that keep a cache like the model's own."""
    draft = now.spec.draft if now.spec else None
    return 0 if draft is None or model.is_mla else len(draft.layers)


def _latent(model: Architecture) -> bool:
    return model.is_mla and not model.is_hybrid


def _cache_dtype(view: VllmView, now: VllmSettings, model: Architecture) -> str:
    """Name the layout of the cache: fp8 latents of sparse attention are packed with their scales, or plain.

    0.33.0 packs them where `fp8_ds_mla` is asked for; its backend of consumer Blackwell
    (FLASHINFER_MLA_SPARSE_SM120) takes nothing else, the other ones plain fp8.
    """
    return _layout(view, model, now.kv_cache_dtype or "auto")


def _layout(view: VllmView, model: Architecture, dtype: str) -> str:
    capability = view.gpu.capability if view.gpu else None
    if not model.sparse_indexer or capability is None:
        return dtype
    return "fp8_ds_mla" if capability[0] == _CONSUMER_BLACKWELL else dtype


def _state_alignment(view: VllmView, now: VllmSettings, model: Architecture) -> int:
    """Give the step of the checkpoints that a Gated DeltaNet prefill leaves, which blocks are a multiple of.

    0.33.0 does so from Hopper on; logs of 0.24 to 0.28, whose settings are not resolved here, show none.
    """
    linear, capability = model.linear_attention, view.gpu.capability if view.gpu else None
    if linear is None or linear.kind != "gdn" or capability is None or now.prefix_caching is False:
        return 1
    return _CHECKPOINT_STEP if capability >= _HOPPER else 1


def _batches_at_once(now: VllmSettings) -> int:
    """Count the batches in flight (config/vllm.py:588)."""
    if now.parallel.pp > 1:
        return now.parallel.pp + (1 if now.v2_runner else 0)
    return 2 if now.async_scheduling else 1
