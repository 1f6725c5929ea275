"""Batch sizes that the scheduler refuses.

## Why

A batch holds at least one token of every request in it, so `max_num_batched_tokens` is at least
`max_num_seqs`. Without chunked prefill a whole prompt goes through at once: the tokens must reach the
context length, which is the model's own when none is given. Requests in flight cannot exceed the runner's,
a prompt's share not the context.

## Fix

Raise `max_num_batched_tokens`, lower the other, or leave chunked prefill on.

## References

- vLLM 0.33.0 `vllm/config/scheduler.py:322`, `:332`, `:340`, `:355`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("ENG203", "batch-sizes", source="config/scheduler.py:322")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the sizes with one another."""
    settings = view.settings
    tokens, seqs, length = settings.max_num_batched_tokens, settings.max_num_seqs, settings.max_model_len
    active, share = count(view, "max_num_active_seqs", 1), count(view, "long_prefill_token_threshold", 1)
    name = "max_num_batched_tokens"
    if tokens is not None and length is not None and tokens < length and settings.chunked_prefill is False:
        message = f"max_num_batched_tokens {tokens} is below max_model_len {length}, without chunked prefill"
        yield refuse(view, name, message, f"use {length} or more, or leave chunked prefill on")
    elif tokens is not None and seqs is not None and tokens < seqs:
        message = f"max_num_batched_tokens {tokens} is below max_num_seqs {seqs}"
        yield refuse(view, name, message, f"use {seqs} or more", source="config/scheduler.py:332")
    elif active is not None and seqs is not None and active > seqs:
        message = f"max-num-active-seqs {active} exceeds max_num_seqs {seqs}"
        yield refuse(
            view, "max_num_active_seqs", message, f"use {seqs} or less", source="config/scheduler.py:340"
        )
    elif share is not None and length is not None and share > length:
        message = f"long-prefill-token-threshold {share} exceeds max_model_len {length}"
        place = "config/scheduler.py:355"
        yield refuse(view, "long_prefill_token_threshold", message, f"use {length} or less", source=place)
