"""A KV cache tier in host memory beside something that it does not go with.

## Why

HiCache keeps evicted pages of the radix cache in host memory and, with a storage backend, behind it. Without
a radix cache there is nothing to keep; with decode context parallelism only MLA models are translated; a host
pool that only buffers needs the storage behind it. An external linker takes HiCache's place.

## Fix

Remove the option that the message names.

## References

- SGLang 0.5.23 `arg_groups/kv_cache_hook.py:394`; `arg_groups/hicache_hook.py:23`-`:60`, `:105`,
  `:135`-`:165`, `:252`-`:296`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

TIERS = "enable_hierarchical_cache"
LINKER = "enable_unified_cache_external_linker"
STORAGE = "hicache_storage_backend"
MODE = "hicache_host_memory_mode"


@sglang_rule("ENG359", "hierarchical-cache", source="kv_cache_hook.py:394")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the host tier with the cache that it extends."""
    given = view.arguments
    share = given["hicache_host_memory_fraction"]
    if share is not None and not 0 < share <= 1:
        message = f"hicache-host-memory-fraction is {share}, above 0 to 1 works"
        yield refuse(view, "hicache_host_memory_fraction", message, "use 0.8")
    if given["enable_linker_mla_dedup"] and not (
        given[LINKER] and given["unified_cache_external_linker_backend"] == "mooncake"
    ):
        message = "enable-linker-mla-dedup needs the Mooncake linker"
        yield refuse(view, "enable_linker_mla_dedup", message, "remove enable-linker-mla-dedup")
    config = given["unified_cache_external_linker_config"]
    if config is not None and not isinstance(config, dict):
        message = "unified-cache-external-linker-config must be a JSON object"
        yield refuse(view, "unified_cache_external_linker_config", message, "write {...}")
    if given[TIERS] and view.settings.disable_radix_cache:
        why = (
            "disable-radix-cache" if "disable_radix_cache" in given else "the radix cache, which is off here"
        )
        message = f"enable-hierarchical-cache does not work with {why}"
        yield refuse(view, TIERS, message, "remove one of them")
    if given[LINKER]:
        yield from _linker(view)
    elif given[TIERS] or given["disaggregation_decode_enable_offload_kvcache"] or _decode_pool(view):
        yield from _buffer(view)
        yield from _decode_context(view)


def _decode_pool(view: SglangView) -> bool:
    backup = view.arguments["disaggregation_decode_retraction_backup"]
    return view.arguments["disaggregation_mode"] == "decode" and backup in (None, "host_pool")


def _linker(view: SglangView) -> Iterator[Violation]:
    given = view.arguments
    for what, there in (
        ("disable-radix-cache", view.settings.disable_radix_cache),
        ("radix-cache-backend", given["radix_cache_backend"] is not None),
        ("enable-hierarchical-cache", given[TIERS]),
        ("hicache-storage-backend", given[STORAGE] is not None),
    ):
        if there:
            message = f"enable-unified-cache-external-linker does not work with {what}"
            yield refuse(view, LINKER, message, f"remove {what}")


def _buffer(view: SglangView) -> Iterator[Violation]:
    given = view.arguments
    if given[MODE] != "buffer_only":
        return
    if given[STORAGE] is None:
        message = "hicache-host-memory-mode buffer_only needs hicache-storage-backend"
        yield refuse(view, MODE, message, "add hicache-storage-backend, or use mode cache")
    if given["disaggregation_mode"] == "decode":
        message = "hicache-host-memory-mode buffer_only does not work on decode instances"
        yield refuse(view, MODE, message, "use mode cache")


def _decode_context(view: SglangView) -> Iterator[Violation]:
    given, model = view.arguments, view.architecture
    size = given["dcp_size"]
    if size <= 1 or not given[TIERS]:
        return
    algorithm = given["speculative_algorithm"]
    for what, there in (
        ("hicache-host-memory-mode buffer_only", given[STORAGE] is not None and given[MODE] == "buffer_only"),
        (f"speculative-algorithm {algorithm}", algorithm not in (None, "DSPARK")),
        ("enable-lmcache", given["enable_lmcache"]),
        ("enable-hisparse", given["enable_hisparse"]),
        ("models without MLA", model is not None and not model.is_mla),
    ):
        if there:
            message = f"enable-hierarchical-cache with dcp {size} does not work with {what}"
            yield refuse(view, TIERS, message, "leave dcp out, or remove enable-hierarchical-cache")
