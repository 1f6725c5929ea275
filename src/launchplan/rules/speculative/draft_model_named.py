"""Speculative decoding without the model that it drafts with.

## Why

`mtp` and `dspark` draft with layers of the model itself, n-gram and suffix decoding with the text so far.
Every other method, `draft_model` where none is written, wants a draft model.

## Fix

Add `model` to `speculative`, or take another method.

## References

- vLLM 0.33.0 `vllm/config/speculative.py:1293`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import speculative
from launchplan.engines.vllm.settings.speculative import written_method
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

DRAFTING = frozenset({"eagle", "eagle3", "dflash", "draft_model", "custom_class"})


@vllm_rule("SPC201", "draft-model-named", source="config/speculative.py:1293")
def check(view: VllmView) -> Iterator[Violation]:
    """Look for the draft model."""
    config = speculative(view)
    if config is None or config.get("num_speculative_tokens") is None or isinstance(config.get("model"), str):
        return
    method = written_method(config)
    if method in DRAFTING:
        message = f"speculative method {method} drafts with a model, and none is named"
        yield refuse(view, "speculative_config", message, "add model, or use method mtp or ngram")
