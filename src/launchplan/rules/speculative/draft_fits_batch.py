"""A batch too small for the drafts in it.

## Why

Drafts take places in the batch besides the tokens that are served: more than one request's drafts must fit,
with adapters those of every request.

## Fix

Raise `max_num_batched_tokens`, or draft fewer tokens.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:2372`, `vllm/engine/arg_utils.py:2719`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

DRAFTING = frozenset({"eagle", "eagle3", "mtp", "draft_model", "dspark"})


@vllm_rule("SPC207", "draft-fits-batch", source="config/vllm.py:2372")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the batch with the drafts."""
    settings = view.settings
    spec, tokens, seqs = settings.spec, settings.max_num_batched_tokens, settings.max_num_seqs
    if spec is None or spec.tokens is None or tokens is None:
        return
    ahead = spec.tokens if spec.method in DRAFTING else spec.tokens + 1 if spec.method == "dflash" else 0
    if on(view, "enable_lora") and seqs is not None and tokens < seqs * (spec.tokens + 1):
        message = f"{seqs} requests with {spec.tokens} drafts each exceed max_num_batched_tokens {tokens}"
        fix = f"use {seqs * (spec.tokens + 1)} or more, or lower max_num_seqs"
        yield refuse(view, "max_num_batched_tokens", message, fix, source="engine/arg_utils.py:2719")
    elif tokens <= ahead:
        message = f"max_num_batched_tokens {tokens} leaves no room beside {ahead} draft tokens"
        yield refuse(view, "max_num_batched_tokens", message, f"use more than {ahead}")
