"""A flag that wants a JSON object and gets something else.

## Why

The parser reads any JSON, or text, for these flags; the configuration that they go to wants keys and values.

## Fix

Write an object: `{"key": value}`.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:429` (`additional_config`), `vllm/config/model.py:348` (`hf_overrides`),
  `:365` (`override_generation_config`), `:436` (`mm_processor_kwargs`),
  `vllm/entrypoints/common/cli_args.py:520` (`reasoning-effort-map`)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from launchplan.engines.vllm.settings.reading import mapping
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import names_are_known, refuse, vllm_rule
from launchplan.rules.wording import shown
from launchplan.units import choice_text

OBJECTS = (
    "additional_config", "hf_overrides", "override_generation_config", "mm_processor_kwargs",
    "reasoning_effort_map",
)  # fmt: skip
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


@vllm_rule("ENG222", "json-objects", source="config/vllm.py:429", about=OBJECTS)
def check(view: VllmView) -> Iterator[Violation]:
    """Look for values that have no keys."""
    for dest in OBJECTS:
        value = view.arguments[dest]
        broken = isinstance(value, str) and value.lstrip().startswith("{")  # ENG103 speaks of it
        if value is not None and not isinstance(value, Mapping) and not broken:
            name = dest.replace("_", "-")
            yield refuse(view, dest, f"{name} is {shown(value)}, not an object", "write JSON with keys")
    place = "entrypoints/common/cli_args.py:525"
    for effort, word in mapping(view, "reasoning_effort_map").items():
        if effort not in EFFORTS and names_are_known(view):
            message = f"reasoning-effort-map has {shown(effort)}"
            yield refuse(view, "reasoning_effort_map", message, f"use {choice_text(EFFORTS)}", source=place)
        elif not isinstance(word, str):
            message = f"reasoning-effort-map gives {effort} {shown(word)}, not text"
            yield refuse(view, "reasoning_effort_map", message, source=place)
