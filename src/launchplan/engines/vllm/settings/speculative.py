"""Speculative decoding: which method, how many tokens, which draft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from launchplan.architecture import Architecture
from launchplan.catalog import EngineModels
from launchplan.catalog.engine_models import Mtp
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.settings.reading import speculative
from launchplan.engines.vllm.settings.types import ModelFacts, ParallelSettings, SpeculativeSettings

NGRAM = frozenset({"ngram", "ngram_gpu"})
WITHOUT_MODEL = NGRAM | {"suffix", "custom_class", "extract_hidden_states"}
"""Methods that load no draft model."""
STATED = frozenset({"eagle", "eagle3", "dflash", "dspark"})
"""Methods that are taken as written when a draft model is named."""
_BY_NAME = (("eagle-", "eagle"), ("eagle3", "eagle3"), ("dflash", "dflash"), ("dspark", "dspark"))
"""Parts of a draft model's name that decide the method (vllm/config/speculative.py:1429)."""
CACHE_ONLY_ROPES = frozenset({None, "default", "linear", "llama3", "ntk", "proportional"})
"""Rope types whose draft is stretched to the target's context (vllm/config/speculative.py:105)."""


def read_speculative(
    view: EngineView, model: ModelFacts, parallel: ParallelSettings, facts: EngineModels
) -> SpeculativeSettings | None:
    """Resolve the method and its draft (vllm/config/speculative.py:1226-1700)."""
    config = speculative(view)
    if config is None:
        return None
    draft = config.get("model")
    tokens = config.get("num_speculative_tokens")
    count = tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0 else None
    method = written_method(config)
    if method in WITHOUT_MODEL:
        name = model.name if method in NGRAM else _own_class(method, model)
        return SpeculativeSettings(method, count, name, None)
    tp = _draft_tp(config, parallel)
    if isinstance(draft, str):
        return _with_draft(_method_of_name(method, draft), count, tp, view.pool.draft, facts)
    if method != "mtp":
        return SpeculativeSettings(method, count, _own_class(method, model), tp)
    return _own_layers(view.architecture, model, facts, count, tp)


def _own_class(method: str | None, model: ModelFacts) -> str | None:
    """Name the class of what the target drafts with by itself (vllm/config/speculative.py:1352, :1561)."""
    if method == "extract_hidden_states":
        return "ExtractHiddenStatesModel"
    if method != "dspark":
        return None
    return "DSparkV41DraftModel" if model.model_type == "deepseek_v41" else "DSparkDraftModel"


def _with_draft(
    method: str | None, tokens: int | None, tp: int, draft: Architecture | None, facts: EngineModels
) -> SpeculativeSettings:
    """Resolve a draft model of its own (vllm/config/speculative.py:1416-1560)."""
    if draft is None:
        return SpeculativeSettings(method, tokens, None, tp)
    name = draft.architectures[0] if draft.architectures else None
    own = facts.mtp_of(draft.model_type, name)
    if method not in STATED and own is not None:
        layers = mtp_layers(draft, own)
        return SpeculativeSettings(
            "mtp", tokens if tokens is not None else layers, own.draft, tp, layers=layers, draft=draft
        )
    return SpeculativeSettings(method, tokens, _drafting_class(method, name), tp, draft=draft)


def _drafting_class(method: str | None, name: str | None) -> str | None:
    """Name the class of an EAGLE or DFlash draft (vllm/transformers_utils/configs/eagle.py:41)."""
    start = {"eagle": "Eagle", "eagle3": "Eagle3", "dflash": "DFlash"}.get(method or "")
    if name is None or start is None or name.startswith(start):
        return name
    own = (method == "eagle3" and name.endswith("Eagle3")) or (method == "dflash" and name.endswith("DFlash"))
    return name if own else f"{start}{name}"


def written_method(config: Mapping[str, Any]) -> str | None:
    """Give the method that is asked for, by vLLM's own names (vllm/config/speculative.py:1237)."""
    method, draft = config.get("method"), config.get("model")
    if method is None:
        if isinstance(draft, str) and is_import_path(draft):
            return "custom_class"
        return "ngram" if draft in ("ngram", "[ngram]") else "draft_model"
    if not isinstance(method, str):
        return None
    return "mtp" if method.endswith("_mtp") else method


def is_import_path(name: str) -> bool:
    """Tell whether a draft model is a Python class (vllm/config/speculative.py:1215)."""
    parts = name.split(".")
    return "/" not in name and len(parts) > 1 and all(part.isidentifier() for part in parts)


def _method_of_name(method: str | None, draft: str) -> str | None:
    """Give the method of a named draft; its configuration may still say otherwise."""
    if method in STATED:
        return method
    return next((found for part, found in _BY_NAME if part in draft.lower()), method)


def _draft_tp(config: Mapping[str, Any], parallel: ParallelSettings) -> int:
    given = config.get("draft_tensor_parallel_size")
    return given if isinstance(given, int) and not isinstance(given, bool) and given > 0 else parallel.tp


def _own_layers(
    held: Architecture | None, model: ModelFacts, facts: EngineModels, tokens: int | None, tp: int
) -> SpeculativeSettings:
    own = facts.mtp_of(model.model_type, model.name)
    layers = mtp_layers(held, own) if held is not None and own is not None else None
    missing = own is None or (own.needs_layers and not layers)
    return SpeculativeSettings(
        "mtp",
        tokens if tokens is not None else layers,
        None if own is None or missing else own.draft,
        tp,
        layers=layers,
        own_layers=True,
    )


def mtp_layers(model: Architecture, own: Mtp) -> int | None:
    """Count the layers that draft (vllm/config/speculative.py:712)."""
    if own.fixed is not None:
        return own.fixed
    for key in own.keys:
        found = model.dims.get(key)
        if isinstance(found, int) and not isinstance(found, bool):
            return found
    return own.default
