"""Model runner, scheduling and CUDA graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from launchplan.catalog import EngineModels
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.settings.reading import count, mapping, on, speculative, text, variable
from launchplan.engines.vllm.settings.types import ModelFacts, ParallelSettings, SpeculativeSettings

_OVERLAPPING = frozenset({
    "eagle", "eagle3", "extract_hidden_states", "mtp", "dflash", "ngram_gpu", "draft_model", "dspark",
})  # fmt: skip
"""Methods that the V1 runner schedules ahead with (vllm/config/vllm.py:1645)."""
_BUILT_IN_EXECUTORS = frozenset({"mp", "uni", "external_launcher", "ray"})
_FULL = frozenset({"FULL", "FULL_DECODE_ONLY", "FULL_AND_PIECEWISE"})
_PIECEWISE = frozenset({"PIECEWISE", "FULL_AND_PIECEWISE"})
MODES = ("NONE", "STOCK_TORCH_COMPILE", "DYNAMO_TRACE_ONCE", "VLLM_COMPILE")
_BY_LEVEL = {"0": "NONE", "1": "PIECEWISE"}
_NUMBERED = {0: "NONE", 1: "PIECEWISE", 2: "FULL"}
"""Modes by their number (config/compilation.py:58)."""
_V2_ONLY_NOT = frozenset({"suffix", "custom_class"})


def ubatching(view: EngineView) -> bool:
    """Tell whether batches are split in two (vllm/config/parallel.py:646)."""
    return on(view, "enable_dbo") or (count(view, "ubatch_size") or 0) > 1


def uses_v2_runner(view: EngineView, parallel: ParallelSettings, spec: SpeculativeSettings | None) -> bool:
    """Tell which model runner runs (vllm/config/vllm.py:748)."""
    if mapping(view, "attention_config").get("hisparse_config") or mapping(view, "watermark_config"):
        return True
    forced = variable(view, "VLLM_USE_V2_MODEL_RUNNER")
    return forced if forced is not None else not v2_gaps(view, parallel, spec)


def v2_gaps(
    view: EngineView, parallel: ParallelSettings, spec: SpeculativeSettings | None
) -> tuple[str, ...]:
    """List what the V2 runner can't do here, micro-batches apart (vllm/config/vllm.py:3053)."""
    config = speculative(view) or {}
    gaps = []
    if parallel.executor == "external_launcher" and parallel.pp > 1:
        gaps.append("pipeline parallelism with external_launcher")
    if spec is not None and spec.method in _V2_ONLY_NOT:
        gaps.append(f"speculative method {spec.method}")
    if spec is not None and config.get("parallel_drafting") and spec.method not in {"dflash", "dspark"}:
        gaps.append("parallel drafting")
    if config.get("use_heterogeneous_vocab"):
        gaps.append("a draft model with another vocabulary")
    if ubatching(view) and variable(view, "VLLM_USE_V2_MODEL_RUNNER") is None:
        gaps.append("micro-batches")
    return tuple(gaps)


def schedules_ahead(
    view: EngineView,
    model: ModelFacts,
    parallel: ParallelSettings,
    spec: SpeculativeSettings | None,
    *,
    v2: bool,
) -> bool:
    """Tell whether scheduling overlaps with the model (vllm/config/vllm.py:1638-1720)."""
    given = view.arguments["async_scheduling"]
    if isinstance(given, bool):
        return given
    custom = parallel.executor is not None and parallel.executor not in _BUILT_IN_EXECUTORS
    return not (model.pooling or custom or (not v2 and ahead_gap(view, parallel, spec) is not None))


def ahead_gap(view: EngineView, parallel: ParallelSettings, spec: SpeculativeSettings | None) -> str | None:
    """Name what keeps the V1 runner from scheduling ahead (vllm/config/vllm.py:1640)."""
    if spec is not None and spec.method not in _OVERLAPPING:
        return f"{spec.method} speculative decoding"
    if spec is not None and (speculative(view) or {}).get("disable_padded_drafter_batch"):
        return "disable_padded_drafter_batch"
    return "pipeline parallelism" if parallel.pp > 1 else None


def cudagraph_mode(
    view: EngineView, model: ModelFacts, parallel: ParallelSettings, facts: EngineModels, *, v2: bool
) -> str:
    """Resolve the CUDA graph mode (vllm/config/vllm.py:1755-2190, config/compilation.py:1162)."""
    if on(view, "enforce_eager"):
        return "NONE"
    config = mapping(view, "compilation_config")
    mode = _written_mode(config) or _BY_LEVEL.get(_level(view), "FULL_AND_PIECEWISE")
    compiled = compile_mode(view, model, facts)
    breakable = breaks_graphs(view, model, facts)
    if mode in _PIECEWISE and compiled != "VLLM_COMPILE" and not breakable:
        mode = "FULL_DECODE_ONLY" if mode == "FULL_AND_PIECEWISE" else "NONE"
    if (model.pooling or mapping(view, "pooler_config")) and mode in _FULL:
        mode = "PIECEWISE"
    if mode in _FULL and _layerwise_connector(mapping(view, "kv_transfer_config")):
        mode = "PIECEWISE"
    if mode in _PIECEWISE and compiled != "VLLM_COMPILE" and not breakable:
        mode = "FULL_DECODE_ONLY" if mode == "FULL_AND_PIECEWISE" else "NONE"
    if v2 and compiled == "STOCK_TORCH_COMPILE":
        mode = "NONE"
    return _after_exchange(mode, model, parallel, compiled, config)


def _after_exchange(
    mode: str, model: ModelFacts, parallel: ParallelSettings, compiled: str, config: Mapping[str, Any]
) -> str:
    """Drop graphs that an all-to-all backend or empty splitting operations don't allow."""
    if parallel.all2all == "moonep" and uses_all2all(parallel):
        return "NONE"
    if compiled != "VLLM_COMPILE":
        return mode
    if config.get("splitting_ops") == []:
        mode = {"PIECEWISE": "NONE", "FULL_AND_PIECEWISE": "FULL"}.get(mode, mode)
    if _fuses_attention(config) and mode in _PIECEWISE:
        mode = "FULL"  # config/compilation.py:1260
    replicas = parallel.dp if model.moe is not False else 1
    return "NONE" if parallel.all2all == "deepep_high_throughput" and replicas > 1 else mode


def _fuses_attention(config: Mapping[str, Any]) -> bool:
    passes = config.get("pass_config")
    asked = isinstance(passes, Mapping) and passes.get("fuse_attn_quant") is True
    return asked and config.get("splitting_ops") is None and not config.get("use_inductor_graph_partition")


def compile_mode(view: EngineView, model: ModelFacts, facts: EngineModels) -> str:
    """Resolve the compilation mode (vllm/config/vllm.py:1755-1795)."""
    if (
        on(view, "enforce_eager")
        or view.env.get("TORCH_COMPILE_DISABLE") == "1"
        or breaks_graphs(view, model, facts)
    ):
        return "NONE"
    given = mapping(view, "compilation_config").get("mode")
    if isinstance(given, str):
        return given.upper()
    if isinstance(given, int) and 0 <= given < len(MODES):
        return MODES[given]
    return "NONE" if _level(view) == "0" else "VLLM_COMPILE"


def _level(view: EngineView) -> str:
    return str(view.arguments["optimization_level"]).strip()


def breaks_graphs(view: EngineView, model: ModelFacts, facts: EngineModels) -> bool:
    """Tell whether CUDA graphs are broken at attention in place of compiled (vllm/config/vllm.py:856)."""
    given = view.env.get("VLLM_USE_BREAKABLE_CUDAGRAPH")
    return given == "1" if given is not None else model.name in facts.breakable_cudagraph


def _written_mode(config: Mapping[str, Any]) -> str | None:
    given = config.get("cudagraph_mode")
    if isinstance(given, int) and not isinstance(given, bool):
        return _NUMBERED.get(given)
    return given.upper() if isinstance(given, str) else None


def _layerwise_connector(config: Mapping[str, Any]) -> bool:
    """Tell whether a KV connector copies layer by layer (kv_connector/v1/lmcache_connector.py:70)."""
    extra = config.get("kv_connector_extra_config")
    extra = extra if isinstance(extra, Mapping) else {}
    if config.get("kv_connector") == "MultiConnector":
        children = extra.get("connectors")
        return isinstance(children, list) and any(
            _layerwise_connector(each) for each in children if isinstance(each, Mapping)
        )
    return config.get("kv_connector") == "LMCacheConnectorV1" and bool(extra.get("use_layerwise"))


def uses_all2all(parallel: ParallelSettings) -> bool:
    """Tell whether tokens travel between ranks to their experts (vllm/config/parallel.py:772)."""
    return parallel.dp > 1 or (parallel.expert_parallel and parallel.pcp > 1)


def attention_backend(view: EngineView, model: ModelFacts) -> str | None:
    """Give the attention backend that is asked for, or that vLLM sets itself; None for automatic selection.

    Models whose global layers have larger heads run on Triton where FlashAttention 4 does not
    (vllm/model_executor/models/config.py:303, vllm_flash_attn/flash_attn_interface.py:69).
    """
    given = text(view, "attention_backend") or mapping(view, "attention_config").get("backend")
    if isinstance(given, str) and given.lower() != "auto":
        return given.upper()
    held, gpu = view.architecture, view.gpu
    if held is None or gpu is None or gpu.capability is None or model.name not in _TWO_HEAD_SIZES:
        return None
    wide = held.dims.get("global_head_dim")
    sizes = {held.head_dim, wide if isinstance(wide, int) else held.head_dim}
    return "TRITON_ATTN" if len(sizes) > 1 and gpu.capability[0] not in _FLASH_ATTENTION_4 else None


_TWO_HEAD_SIZES = frozenset({
    "Gemma4ForCausalLM", "Gemma4ForConditionalGeneration", "Gemma4UnifiedForConditionalGeneration",
    "DiffusionGemmaForBlockDiffusion",
})  # fmt: skip
_FLASH_ATTENTION_4 = frozenset({9, 10, 11})
"""Major compute capabilities that FlashAttention 4 runs on."""
