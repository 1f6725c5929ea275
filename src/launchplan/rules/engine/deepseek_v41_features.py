"""A feature that DeepSeek-V4.1 does not have, or that only it has.

## Why

DeepSeek-V4.1 is served by the V4 classes with windows that are replayed; SGLang lists what was not carried
over. The replay of encoder windows exists for it alone.

## Fix

Remove the flag that the message names.

## References

- SGLang 0.5.23 `arg_groups/deepseek_v4_hook.py:258`; `arg_groups/model_hook.py:1038`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import Given, SglangSettings
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

ENCODER = "enable_encoder_swa_bounded_replay"
REPLAYED = 128
"""Tokens that a hit runs again (`deepseek_v4_hook.py:241`)."""
EAGER = ("disabled", "breakable")
RAGGED = "SGLANG_RAGGED_VERIFY_MODE"


@sglang_rule("ENG317", "deepseek-v41-features", source="deepseek_v4_hook.py:258")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the features with what the model has."""
    given = view.given
    if given is None:
        return
    if given.model.model_type != "deepseek_v41":
        if given[ENCODER]:
            message = f"enable-encoder-swa-bounded-replay is for DeepSeek-V4.1, not {given.model.name}"
            yield refuse(view, ENCODER, message, "remove enable-encoder-swa-bounded-replay")
        return
    held = view.after("models.defaults")
    problem = _unsupported(given, held) or _pair(view, held)
    if problem is not None:
        yield refuse(view, "model", f"DeepSeek-V4.1 does not take {problem}", "remove it")
    if given[ENCODER]:
        yield from _replay(view, given)


def _unsupported(given: Given, held: SglangSettings) -> str | None:
    algorithm = (held.speculative_algorithm or "DSPARK").upper()
    trtllm = held.dsv4_attn_backend == "trtllm"
    features = {
        f"speculative-algorithm {algorithm}": algorithm != "DSPARK",
        "enable-hisparse": given["enable_hisparse"],
        "enable-two-batch-overlap": held.enable_two_batch_overlap,
        "pp-size above 1": held.pp_size > 1,
        "full prefill graphs with trtllm": trtllm and held.prefill_graph.backend not in EAGER,
        "encoder replay with trtllm": trtllm and given[ENCODER],
    }
    return next((what for what, on in features.items() if on), None)


def _pair(view: SglangView, held: SglangSettings) -> str | None:
    """Compare drafts on prefill and decode servers with what was carried over (`deepseek_v4_hook.py:348`)."""
    if held.disaggregation_mode == "null" or held.speculative_algorithm is None:
        return None
    prefill = held.disaggregation_mode == "prefill" and held.enable_prefill_cp
    context = (held.enable_prefill_cp or held.attn_cp_size != 1) and not (
        prefill and held.cp_strategy == "interleave"
    )
    features = {
        f"{RAGGED} other than static": view.env.get(RAGGED, "static") != "static",
        "this transfer backend": held.disaggregation_transfer_backend not in {"mooncake", "nixl"},
        "context parallelism beside drafts": context or held.dcp_size != 1,
    }
    return next((what for what, on in features.items() if on), None)


def _replay(view: SglangView, given: Given) -> Iterator[Violation]:
    held = view.settings
    least = REPLAYED + (held.page_size or 1)
    clashes = {
        "full prefill graphs": held.prefill_graph.backend not in EAGER,
        "context parallelism": held.attn_cp_size > 1,
        "enable-unified-memory": given["enable_unified_memory"],
        "decode servers": held.disaggregation_mode == "decode",
        "enable-mixed-chunk": held.enable_mixed_chunk,
        "enable-lora": given["enable_lora"],
        "enable-session-radix-cache": given["enable_session_radix_cache"],
        "no max-running-requests": (held.max_running_requests or 0) <= 0,
        f"chunks of less than {least} tokens": (held.chunked_prefill_size or 0) < least,
    }
    clash = next((what for what, on in clashes.items() if on), None)
    if clash is not None:
        message = f"enable-encoder-swa-bounded-replay does not go with {clash}"
        yield refuse(view, ENCODER, message, "remove enable-encoder-swa-bounded-replay")
