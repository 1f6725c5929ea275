"""Prefill without a KV cache where something would read one.

## Why

`--prefill-only-disable-kv-cache` leaves the KV pool out for embedding models. Chunks, prefix caching, context
ranks and every backend but FlashAttention would still write to it.

## Fix

Add what the message names, or remove the flag.

## References

- SGLang 0.5.23 `arg_groups/kv_cache_hook.py:321`, `:865`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

NAME = "prefill_only_disable_kv_cache"
PACKED = ("nvfp4", "fp4_mx_block16", "mxfp8")


@sglang_rule("ENG314", "prefill-without-cache", source="kv_cache_hook.py:321")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for readers of the cache."""
    given = view.arguments
    if not given[NAME]:
        return
    start, flag = view.after("disaggregation.roles"), NAME.replace("_", "-")
    backend = view.after("attention.item_scoring").prefill_backend
    needs = {
        "is-embedding": bool(given["is_embedding"]),
        "another kv-cache-dtype": start.kv_cache_dtype not in PACKED,
        "chunked-prefill-size -1": start.chunked_prefill_size == -1,
        "disable-radix-cache": start.disable_radix_cache,
        "attn-cp-size 1": start.attn_cp_size <= 1 and not start.enable_prefill_cp,
        "no enable-hisparse": not given["enable_hisparse"],
        "attention backend fa3 or fa4": view.given is None or backend in {"fa3", "fa4"},
    }
    missing = next((what for what, kept in needs.items() if not kept), None)
    if missing is not None:
        yield refuse(view, NAME, f"{flag} needs {missing}", f"remove {flag}")
