"""Resolve every setting of a vLLM process, in the order that vLLM does."""

from __future__ import annotations

from launchplan import catalog
from launchplan.catalog import EngineModels
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.settings import formats, runner, scheduler
from launchplan.engines.vllm.settings.model import read_model
from launchplan.engines.vllm.settings.parallel import read_mode, read_parallel
from launchplan.engines.vllm.settings.reading import count, mapping, speculative, text
from launchplan.engines.vllm.settings.speculative import CACHE_ONLY_ROPES, read_speculative
from launchplan.engines.vllm.settings.types import SpeculativeSettings, VllmSettings


def resolve_settings(view: EngineView) -> VllmSettings:
    """Resolve what vLLM makes of a command line; never raises, None where it can't be known.

    Versions older than the oldest one whose classes are known resolve to nothing: their defaults differ.
    """
    facts = catalog.engine_models(view.engine, view.pool.deployment.version)
    return VllmSettings() if facts is None else _resolve(view, facts)


def _resolve(view: EngineView, facts: EngineModels) -> VllmSettings:
    model = read_model(view, facts)
    parallel = read_parallel(view, model)
    spec = read_speculative(view, model, parallel, facts)
    chosen = formats.choose_method(view, facts)
    derived = scheduler.derived_length(view)
    asked = scheduler.context_length(view, derived)
    batches = scheduler.batches(view, model, parallel, asked)
    v2 = runner.uses_v2_runner(view, parallel, spec)
    mode, servers = read_mode(view)
    return VllmSettings(
        known=True,
        model=model,
        parallel=parallel,
        mode=mode,
        api_server_count=servers,
        quantization=chosen.method if chosen else None,
        quantization_online=chosen is not None and chosen.online,
        dtype=formats.choose_dtype(view, model),
        max_model_len=_served_length(view, asked, derived, spec, v2=v2),
        derived_max_model_len=derived,
        max_num_batched_tokens=batches.tokens,
        max_num_seqs=batches.seqs,
        chunked_prefill=scheduler.chunked_prefill(view),
        block_size=count(view, "block_size", 1) or DEFAULT_BLOCK_SIZE,
        prefix_caching=scheduler.prefix_caching(view, model),
        kv_cache_dtype=formats.choose_kv_dtype(view, model),
        async_scheduling=runner.schedules_ahead(view, model, parallel, spec, v2=v2),
        v2_runner=v2,
        cudagraph_mode=runner.cudagraph_mode(view, model, parallel, facts, v2=v2),
        attention_backend=runner.attention_backend(view, model),
        moe_backend=_moe_backend(view),
        spec=spec,
    )


DEFAULT_BLOCK_SIZE = 16
"""Tokens of a KV block before the worker fits it to the attention backend (vllm/config/cache.py:184)."""


def _moe_backend(view: EngineView) -> str:
    """Give the MoE backend that is asked for (vllm/engine/arg_utils.py:2801)."""
    given = text(view, "moe_backend") or "auto"
    held = mapping(view, "kernel_config").get("moe_backend")
    return held if given == "auto" and isinstance(held, str) else given


def _served_length(
    view: EngineView, asked: int | None, derived: int | None, spec: SpeculativeSettings | None, *, v2: bool
) -> int | None:
    """Limit the context to what the draft model serves (vllm/config/vllm.py:3025)."""
    if spec is None or not v2 or spec.tp is None or asked is None:
        return asked
    config = speculative(view) or {}
    own_draft = spec.own_layers or (spec.method == "dspark" and config.get("model") is None)
    draft = view.architecture if own_draft else spec.draft
    if draft is None:
        return None
    if spec.method != "draft_model" and (draft.rope.type if draft.rope else None) in CACHE_ONLY_ROPES:
        return asked
    limit = config.get("max_model_len")
    if isinstance(limit, int) and limit > 0:
        return min(asked, limit)
    own = derived if own_draft else draft.derived_max_model_len
    return asked if own is None else min(asked, own)
