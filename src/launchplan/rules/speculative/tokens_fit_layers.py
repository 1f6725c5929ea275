"""A number of draft tokens that the draft layers do not divide.

## Why

With n layers for drafting, vLLM runs them in turn: up to n tokens, or a multiple of n.

## Fix

Take a multiple of the number of layers.

## References

- vLLM 0.33.0 `vllm/config/speculative.py:1606`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import speculative
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("SPC202", "tokens-fit-layers", source="config/speculative.py:1606")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare tokens and layers."""
    spec, config = view.settings.spec, speculative(view) or {}
    asked = config.get("num_speculative_tokens")
    if spec is None or not spec.own_layers or spec.layers is None or not isinstance(asked, int):
        return
    layers = spec.layers
    if layers > 0 and asked > layers and asked % layers:
        message = f"{asked} draft tokens are no multiple of the {layers} layers that draft"
        yield refuse(view, "speculative_config", message, f"use {asked // layers * layers} tokens")
