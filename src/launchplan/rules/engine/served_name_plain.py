"""A served model name with a colon.

## Why

`model:adapter` asks for a LoRA adapter, so that SGLang refuses names with a colon. Without
`--served-model-name` the model's path is the name.

## Fix

Write a dash or a dot instead.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:215`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule
from launchplan.rules.wording import shown

STORES = ("s3://", "gs://", "az://")
"""Object stores whose addresses are names as they are (`utils/runai_utils.py:is_runai_obj_uri`)."""


@sglang_rule("ENG370", "served-name-plain", source="validation_hook.py:215")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for the colon."""
    name = view.arguments["served_model_name"]
    where = "served_model_name" if name is not None else "model_path"
    name = name if name is not None else view.arguments["model_path"]
    if isinstance(name, str) and ":" in name and not name.lower().startswith(STORES):
        message = f"served-model-name {shown(name)} has a colon, which separates LoRA adapters"
        yield refuse(view, where, message, f"use {shown(name.replace(':', '-'))}")
