"""Watermark settings that do not agree.

## Why

A watermark is drawn by SGLang's own sampler, in one server. It needs a key for what it enforces, and its
numbers have ranges. A configuration in a file is not read here.

## Fix

Change the value that the message names, or remove `enable-watermark`.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:33`-`:109`, `sampling/watermarking/config.py:44`, `:77`
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, refuse, sglang_rule

LONGEST_CONTEXT = 64
EVEN = 0.5
"""Mixing probability when nobody says."""
KEY = re.compile(r"(0[xX])?[0-9a-fA-F]{1,16}")
FIELDS = frozenset({"key", "key_b", "context_window", "mixing_probability", "max_probability",
                    "default_enabled", "enforce_all"})  # fmt: skip
ALGORITHMS = (None, "NGRAM", "EAGLE", "EAGLE3")
CURE = "remove enable-watermark"


@sglang_rule("ENG372", "watermark-settings", source="validation_hook.py:33")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the watermark with its configuration and companions."""
    given = view.arguments
    config = _config(given["watermark_config"])
    if given["watermark_config"] is not None:
        if not given["enable_watermark"]:
            message = "watermark-config needs enable-watermark"
            yield refuse(view, "watermark_config", message, "add enable-watermark")
        if config is None or set(config) - FIELDS:
            message = "watermark-config is no JSON object of the known fields"
            yield refuse(view, "watermark_config", message, f"write {', '.join(sorted(FIELDS))}")
            return
    if not given["enable_watermark"]:
        return
    for problem in (*_numbers(config or {}), *_companions(view)):
        yield refuse(view, "enable_watermark", f"enable-watermark {problem}", CURE)


def _config(text: str | None) -> Mapping[str, Any] | None:
    """Read a configuration given as text; an empty one for a file, which may hold anything."""
    if text is None or not text.lstrip().startswith("{"):
        return {}
    try:
        config = json.loads(text)
    except ValueError:
        return None
    return config if isinstance(config, dict) else None


def _numbers(config: Mapping[str, Any]) -> Iterator[str]:
    keys = [config.get("key"), config.get("key_b")]
    if any(key is not None and not (isinstance(key, str) and KEY.fullmatch(key)) for key in keys):
        yield "needs keys of 1 to 16 hex digits"
    window = config.get("context_window")
    if window is not None and not (type(window) is int and 1 <= window <= LONGEST_CONTEXT):
        yield f"needs a context_window of 1 to {LONGEST_CONTEXT}"
    mixing, most = config.get("mixing_probability"), config.get("max_probability")
    if mixing is not None and not (type(mixing) in (int, float) and 0 < mixing < 1):
        yield "needs a mixing_probability between 0 and 1"
    if most is not None and not (type(most) in (int, float) and 0 < most <= 1):
        yield "needs a max_probability above 0, to 1"
    if keys[1] is not None and keys[0] is None:
        yield "needs a key beside key_b"
    if keys[1] is None and mixing not in (None, EVEN):
        yield "needs key_b for a mixing_probability"
    if keys[0] is None and (config.get("default_enabled") or config.get("enforce_all")):
        yield "needs a key for default_enabled and enforce_all"


def _companions(view: SglangView) -> Iterator[str]:
    given, algorithm = view.arguments, algorithm_of(view)
    for what, there in (
        ("enable-custom-logit-processor", given["enable_custom_logit_processor"]),
        ("dllm-algorithm", given["dllm_algorithm"] is not None),
        (f"disaggregation-mode {given['disaggregation_mode']}", given["disaggregation_mode"] != "null"),
        (f"speculative-algorithm {algorithm}", algorithm not in ALGORITHMS),
        (f"drafts over pp {given['pp_size']}", given["pp_size"] > 1 and algorithm is not None),
        ("speculative-use-rejection-sampling", given["speculative_use_rejection_sampling"]),
        ("SGLANG_RUST_SERVER", view.env_on("SGLANG_RUST_SERVER")),
    ):
        if there:
            yield f"does not work with {what}"
