"""LMCache beside something that it does not go with.

## Why

LMCache takes the radix cache's place and knows one server that does prefill and decode, without drafts,
attention data parallelism, decode context parallelism or streaming sessions.

## Fix

Remove `enable-lmcache`, or what the message names.

## References

- SGLang 0.5.23 `arg_groups/kv_cache_hook.py:433`-`:477`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, joins_attention_dp, refuse, sglang_rule


@sglang_rule("ENG360", "lmcache", source="kv_cache_hook.py:435")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for what LMCache does not go with."""
    given, held = view.arguments, view.settings
    if not given["enable_lmcache"]:
        return
    algorithm, role = algorithm_of(view), given["disaggregation_mode"]
    for what, there in (
        ("enable-hierarchical-cache", given["enable_hierarchical_cache"]),
        ("enable-unified-cache-external-linker", given["enable_unified_cache_external_linker"]),
        ("a radix cache that is off", held.disable_radix_cache),
        (f"speculative-algorithm {algorithm}", algorithm not in (None, "NONE")),
        ("attention data parallelism", joins_attention_dp(view)),
        (f"dcp {given['dcp_size']}", given["dcp_size"] > 1),
        ("enable-streaming-session", given["enable_streaming_session"]),
        ("hicache-host-memory-mode buffer_only", given["hicache_host_memory_mode"] == "buffer_only"),
        (f"disaggregation-mode {role}", role != "null"),
    ):
        if there:
            message = f"enable-lmcache does not work with {what}"
            yield refuse(view, "enable_lmcache", message, "remove enable-lmcache")
