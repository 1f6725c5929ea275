"""A way of keeping recurrent state in the radix cache that does not fit the rest.

## Why

Models with linear attention or Mamba layers keep a state beside the KV cache. Without a second buffer
(`no_buffer`) SGLang keeps it for pages of one token, without the overlap scheduler and not with
TensorRT-LLM's attention; with one (`extra_buffer`) the kernels must be Triton's, and the tracking interval
a multiple of the page. Some of these values are SGLang's own choice.

## Fix

Leave `--mamba-radix-cache-strategy`, page size and attention backend to SGLang, or add
`--disable-radix-cache`.

## References

- SGLang 0.5.23 `arg_groups/model_hook.py:1048`; `arg_groups/mamba_hook.py:115`, `:156`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given, SglangSettings, mamba
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

NAME = "mamba_radix_cache_strategy"
INTERVAL = "mamba_track_interval"


@sglang_rule("ENG305", "mamba-cache-strategy", source="model_hook.py:1048")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the strategy with model, page, scheduler and backend."""
    given, held = view.given, view.after("mamba.radix_cache")
    if given is None:
        return
    strategy = held.mamba_radix_cache_strategy
    if not held.uses_mamba_radix_cache:
        if mamba.extra_buffer(held):
            message = (
                f"mamba-radix-cache-strategy {strategy} needs recurrent state, {given.model.name} has none"
            )
            yield refuse(view, NAME, message, "leave mamba-radix-cache-strategy out")
        return
    found = _extra(given, held) if mamba.extra_buffer(held) else _single(held)
    if found is not None:
        name, message, fix = found
        yield refuse(view, name, f"mamba-radix-cache-strategy {strategy} {message}", fix)


def _single(held: SglangSettings) -> tuple[str, str, str] | None:
    """Compare a state without second buffer (`mamba_hook.py:156`)."""
    if held.page_size not in {1, None}:
        return (
            "page_size",
            f"needs page-size 1, not {held.page_size}",
            "use page-size 1, or disable-radix-cache",
        )
    if not held.disable_overlap_schedule:
        return NAME, "needs disable-overlap-schedule", "add disable-overlap-schedule"
    if held.attention_backend == "trtllm_mha":
        return "attention_backend", "does not go with attention backend trtllm_mha", "use triton"
    return None


def _extra(given: Given, held: SglangSettings) -> tuple[str, str, str] | None:
    """Compare a state with second buffer (`mamba_hook.py:115`)."""
    interval, tokens = given[INTERVAL], held.speculative_num_draft_tokens
    if not mamba.supports_extra_buffer(given, held):
        return NAME, f"is not for {given.model.name} here", "leave mamba-radix-cache-strategy out"
    if held.mamba_radix_cache_strategy == "extra_buffer_lazy" and held.disaggregation_mode != "null":
        return NAME, "does not go with disaggregation", "use extra_buffer"
    if tokens is not None and interval < tokens:
        return INTERVAL, f"needs {INTERVAL} {interval} to hold {tokens} draft tokens", "leave it out"
    page = held.page_size
    if page is None:
        return None
    if page == 0 or interval % page:
        return "page_size", f"needs a page-size that divides {interval}, not {page}", "leave page-size out"
    chunk = given.model.number("mamba_chunk_size", mamba.FLA_CHUNK) or mamba.FLA_CHUNK
    if max(chunk, page) % min(chunk, page):
        return "page_size", f"needs page-size {page} and chunk {chunk} to divide", "leave page-size out"
    return None
