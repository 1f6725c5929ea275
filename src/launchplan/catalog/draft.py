"""A catalog entry made from a model's `config.json`, in the form that the shipped entries have."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from launchplan.architecture import Architecture, read_architecture
from launchplan.catalog.models import ModelEntry

# Keys that no engine reads to lay a model out: tokens, sampling, training, how the file was made.
_WITHOUT_BEARING = re.compile(
    r"^_|_token_id$|_token_index$|_dropout$|^transformers_version$|^initializer_|^use_cache$|^auto_map$"
    r"|^id2label$|^label2id$|^pretraining_tp$|^output_(attentions|hidden_states)$|^return_dict$"
    r"|^(temperature|top_p|top_k|do_sample|repetition_penalty)$|^router_aux_loss_coef$|^bad_words_ids$"
)
_LAYER_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)")


@dataclass(frozen=True, slots=True)
class Draft:
    """What is known of a model besides its `config.json`."""

    id: str
    source: str
    checked: str
    """The day on which somebody looked at the source (ISO)."""
    quantization: Mapping[str, Any] | None = None
    """ModelOpt's `hf_quant_config.json`, where it stands beside the config."""
    parameters: int | None = None
    """As computed from the config."""
    bytes: int | None = None
    """Exact bytes of the weights on disk."""


def draft_entry(
    config: Mapping[str, Any], draft: Draft, is_same: Callable[[Architecture], bool]
) -> dict[str, Any]:
    """Make an entry; what the config does not tell is listed as unconfirmed.

    `is_same` says whether an architecture is the config's own: keys are left out and lists of modules are
    folded only as far as the entry still reads to it.
    """
    model = read_architecture(config, draft.quantization)
    body = {key: value for key, value in config.items() if key != "quantization_config"}
    lean, found = _with_bearing(body), _settings(config, draft)
    forms = [(kept, form(each)) for kept in (lean, body) for each in found for form in (_folded, dict)]
    for kept, settings in forms:
        entry = _entry(kept, settings, draft, model)
        if is_same(ModelEntry.model_validate_json(json.dumps(entry)).architecture(draft.id)):
            return entry
    return _entry(body, found[0], draft, model)


def _settings(config: Mapping[str, Any], draft: Draft) -> tuple[Mapping[str, Any], ...]:
    """Give the settings of a quantized checkpoint, from each place that has them; empty for a plain one."""
    beside, text = draft.quantization or {}, config.get("text_config")
    inner = text.get("quantization_config") if isinstance(text, Mapping) else None
    held = (config.get("quantization_config"), inner, beside.get("quantization", beside))
    found = tuple(each for each in held if isinstance(each, Mapping) and each)
    return found or ({},)


def _entry(
    body: Mapping[str, Any], settings: Mapping[str, Any], draft: Draft, model: Architecture
) -> dict[str, Any]:
    entry = {
        "id": draft.id,
        "title": draft.id.partition("/")[2].replace("-", " "),
        "config": dict(body),
        "parameters": {"total": draft.parameters} if draft.parameters else {},
        "modalities": ["text", "image"] if model.vision is not None else ["text"],
        "checkpoints": [_checkpoint(settings, draft, model)],
        "source": draft.source,
        "checked": draft.checked,
        "unconfirmed": _unconfirmed(draft, model),
    }
    return {key: value for key, value in entry.items() if value != []}


def _checkpoint(settings: Mapping[str, Any], draft: Draft, model: Architecture) -> dict[str, Any]:
    formats = [name for name in model.quantization.formats if name != "none"]
    plain = "fp16" if model.dtype == "float16" else "bf16"
    found: dict[str, Any] = {
        "id": draft.id,
        "format": plain if not formats else formats[0] if len(formats) == 1 else "mixed",
    }
    if draft.bytes is not None:
        found |= {"bytes": draft.bytes, "bytes_source": "safetensors headers or index of the repository"}
    if settings:
        found["quantization"] = dict(settings)
        # ModelOpt's own file has names of its own for these settings.
        if "quant_method" not in settings:
            found["separate_file"] = True
    return found


def _unconfirmed(draft: Draft, model: Architecture) -> list[str]:
    """Name what the config leaves open, and what no config tells."""
    known = ["parameters.total"] if draft.parameters else []
    missing = ["parameters.active", "parsers", "modalities"]
    sizes = [] if draft.bytes is not None else ["checkpoints.bytes"]
    return [*known, *missing, *sizes, *(f"architecture.{name}" for name in model.unknown)]


def _with_bearing(config: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _with_bearing(value) if isinstance(value, Mapping) else value
        for key, value in config.items()
        if value is not None and not _WITHOUT_BEARING.search(key)
    }


def _folded(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Write one pattern for the modules of all layers in each list of a checkpoint's settings."""
    return {key: _folded_list(value) if isinstance(value, list) else value for key, value in settings.items()}


def _folded_list(values: list[Any]) -> list[Any]:
    if not all(isinstance(value, str) for value in values):
        return values
    return list(dict.fromkeys(_LAYER_NUMBER.sub("*", value) for value in values))
