"""A KV cache format that DeepSeek's own attention does not read in SGLang.

## Why

DeepSeek sparse attention and DeepSeek-V4 have caches of their own, for two formats each; learned sinks
leave one.

## Fix

Use `fp8_e4m3` or `bfloat16`, or leave the format to SGLang.

## References

- SGLang 0.5.23 `arg_groups/overrides.py:527`, `:541`, `:907`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given, classes
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

SIXTEEN_BIT = ("bf16", "bfloat16")


@sglang_rule("QNT302", "kv-dtype-of-sparse-model", source="overrides.py:541")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the format with the model's own cache."""
    given, name = view.given, view.after("memory.budget").kv_cache_dtype
    if given is None or name == "auto":
        return
    allowed = formats(given)
    if allowed is not None and name not in allowed:
        message = f"kv-cache-dtype {name} is not read by {given.model.name}"
        yield refuse(view, "kv_cache_dtype", message, f"use {allowed[-1]}, or leave it out")


def formats(given: Given) -> tuple[str, ...] | None:
    """Give the formats that a model's own cache has; None for a model without one."""
    model = given.model
    if model.name == "DeepseekV4ForCausalLM":
        return "bfloat16", "fp8_e4m3"
    if not model.is_dsa or model.name not in classes.DEEPSEEK:
        return None
    sinks = model.architecture.dims.get("learnable_sink") is True
    return SIXTEEN_BIT if sinks else (*SIXTEEN_BIT, "fp8_e4m3")
