"""Decode context parallelism with sparse attention beside a feature that knows no shared cache.

## Why

DeepSeek's sparse attention reads a shared cache in plain serving only: host caches, transfer between
prefill and decode servers, and draft trees are not implemented for it.

## Fix

Leave `--dcp-size` out, or remove the feature.

## References

- SGLang 0.5.23 `arg_groups/model_overrides/deepseek_v2.py:20`, `:165`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import classes
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule("PAR315", "sparse-dcp-companions", source="model_overrides/deepseek_v2.py:20")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for features beside a shared sparse cache."""
    held, given = view.after("memory.budget"), view.given
    if (
        held.dcp_size <= 1
        or given is None
        or not given.model.is_dsa
        or given.model.name not in classes.DEEPSEEK
    ):
        return
    clashes = {
        "enable_hisparse": ("enable-hisparse", given["enable_hisparse"]),
        "enable_hierarchical_cache": ("enable-hierarchical-cache", held.enable_hierarchical_cache),
        "disaggregation_mode": ("disaggregation", held.disaggregation_mode != "null"),
        "speculative_eagle_topk": ("draft trees", held.speculative_eagle_topk not in {None, 1}),
        "dcp_size": ("pooled index keys", (given.model.number("index_kpool", 1) or 1) > 1),
    }
    for name, (what, on) in clashes.items():
        if on:
            message = f"dcp-size {held.dcp_size} on sparse attention does not go with {what}"
            yield refuse(view, name, message, "leave dcp-size out")
