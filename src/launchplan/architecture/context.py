"""The longest context that vLLM derives from a config."""

from __future__ import annotations

import math
from collections.abc import Mapping

from launchplan.architecture.fields import Fields
from launchplan.architecture.types import Rope

_LENGTH_KEYS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "model_max_length",
    "max_target_positions",
    "max_sequence_length",
    "max_seq_length",
    "seq_len",
)
_ALREADY_SCALED = frozenset({"su", "longrope", "llama3", "yarn"})
_MAX_LENGTH = 2**53


def _rope_entries(text: Fields) -> tuple[tuple[str, Fields], ...]:
    """Give the rope settings by layer type; a config with one for all layers gives it under ""."""
    parameters = text.child("rope_parameters")
    if not parameters.raw:
        parameters = text.child("rope_scaling")
    nested = tuple((name, Fields(v)) for name, v in parameters.raw.items() if isinstance(v, Mapping))
    if nested:
        return nested
    return (("", parameters),) if parameters.raw else ()


def read_rope(text: Fields) -> Rope | None:
    """Read how rotary positions are scaled; None when the config does not mention it."""
    entries = _rope_entries(text)
    if not entries:
        return None
    entry = dict(entries).get("full_attention", entries[0][1])
    return Rope(
        type=entry.text("rope_type", "type"),
        factor=entry.number("factor"),
        original_max_position_embeddings=entry.positive("original_max_position_embeddings"),
    )


def derived_max_model_len(text: Fields, model_type: str | None) -> int | None:
    """Derive the longest context in tokens; None when no length key is there (vLLM then takes 2048).

    The smallest of the length keys, `model_max_length` above all, times the rope factor except for the
    types whose length already includes it: vLLM 0.33.0 config/model.py:2680 (`_get_and_verify_max_len`) and
    transformers_utils/model_arch_config_convertor.py (`derive_max_model_len_and_key`).
    """
    lengths = [length for key in _LENGTH_KEYS if (length := text.positive(key)) is not None]
    length = text.positive("model_max_length") or min(lengths, default=None)
    if length is None or "gemma3" in (model_type or ""):
        return length
    factor = 1.0
    for _, entry in _rope_entries(text):
        kind = entry.text("rope_type", "type") or ""
        if kind not in _ALREADY_SCALED and not kind.startswith("deepseek_"):
            factor = entry.number("factor") or factor
    scaled = length * factor
    return math.floor(scaled) if 1 <= scaled <= _MAX_LENGTH else length
