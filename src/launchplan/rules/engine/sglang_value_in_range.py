"""A number outside of what SGLang takes.

## Why

The parser takes any number; SGLang compares some of them with a range when it has read them all, and refuses
to start. Many others (memory fraction, number of requests) it never compares.

## Fix

Leave the flag out, or take a value in the range.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:184`, `:204`, `:272`-`:276`, `:314`, `:370`, `:646`-`:678`;
  `arg_groups/serving_hook.py:118`-`:165`, `:363`-`:377`; `utils/common.py:1782`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

LEAST = {
    "pp_max_micro_batch_size": 1,
    "base_gpu_id": 0,
    "gpu_id_step": 1,
    "tokenizer_worker_num": 1,
    "detokenizer_worker_num": 1,
    "mm_processor_worker_num": 0,
    "mm_io_worker_num": 0,
    "schedule_conservativeness": 0,
    "prefill_decode_interval": 0,
    "prefill_decode_interval_min_bs": 0,
    "sampling_mask_max_tokens": 1,
    "asr_max_buffer_seconds": 1,
    "asr_max_concurrent_sessions": 1,
    "mm_preprocess_cache_size_mb": 0,
    "media_url_max_file_size_mb": 0,
    "grpc_response_timeout_secs": 1,
    "grpc_port": 1,
}
"""The least value by flag."""
HIGHEST_PORT = 65535
STREAMS = ("http2_max_concurrent_streams", 1, 2**32 - 1)
WINDOW = ("http2_initial_connection_window_size", 1024, 2**31 - 1)
MOST_THRESHOLDS = 3
MASK = "SGLANG_DISAGGREGATION_SAMPLING_MASK_MAX_TOKENS"


@sglang_rule("ENG368", "sglang-value-in-range", source="validation_hook.py:204")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare numbers with their ranges."""
    given = view.arguments
    for name, least in LEAST.items():
        value = given[name]
        if value is not None and value < least:
            flag = name.replace("_", "-")
            yield refuse(view, name, f"{flag} is {value}, {least} is the least", f"leave {flag} out")
    port = given["grpc_port"]
    if port is not None and port > HIGHEST_PORT:
        yield refuse(view, "grpc_port", f"grpc-port is {port}, 65535 is the highest", "use a port below it")
    for name, least, most in (STREAMS, WINDOW) if given["enable_http2"] else ():
        if not least <= given[name] <= most:
            flag = name.replace("_", "-")
            message = f"{flag} is {given[name]}, {least} to {most} work"
            yield refuse(view, name, message, f"leave {flag} out")
    thresholds = given["gc_threshold"]
    if thresholds and len(thresholds) > MOST_THRESHOLDS:
        message = f"gc-threshold takes 1 to {MOST_THRESHOLDS} numbers, not {len(thresholds)}"
        yield refuse(view, "gc_threshold", message, "give three")
    if given["radix_eviction_policy"] == "tlru":
        yield from _eviction(view)
    if MASK in view.env:
        message = f"{MASK} is gone"
        yield refuse(view, MASK, message, "use sampling-mask-max-tokens on both instances instead")


def _eviction(view: SglangView) -> Iterator[Violation]:
    """Compare the two numbers of T-LRU (`kv_cache_hook.py:366`), which are 0 unless they are given."""
    config = view.arguments["radix_eviction_policy_config"]
    found = config if isinstance(config, dict) else {}
    threshold, estimate = found.get("threshold", 0), found.get("next_prompt_estimate", 0)
    if not (isinstance(threshold, int | float) and isinstance(estimate, int | float)):
        return
    if min(threshold, estimate) < 0 or threshold <= estimate:
        message = (
            f"radix-eviction-policy tlru: threshold {threshold} must exceed next_prompt_estimate {estimate}"
        )
        fix = 'set radix-eviction-policy-config {"threshold": 4096, "next_prompt_estimate": 512}'
        yield refuse(view, "radix_eviction_policy", message, fix)
