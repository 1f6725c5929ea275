"""KV cache sharding beside something that expects whole pages.

## Why

`--enable-kv-cache-sharding` lets each rank of a prefill instance keep a stripe of every cached page. Whatever
reads or moves whole pages does not work with it, and it takes chunked prefill over real pages, on a few
attention backends, with Mooncake or NIXL.

## Fix

Remove `enable-kv-cache-sharding`, or what the message names.

## References

- SGLang 0.5.23 `arg_groups/kv_shard_hook.py:28`-`:83`, `:99`-`:300`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, first_class, refuse, sglang_rule
from launchplan.rules.sharding import attention_problem, is_sparse, layout_problem

NAME = "enable_kv_cache_sharding"
SWITCHES = (
    "enable_unified_cache_external_linker", "enable_streaming_session", "enable_session_radix_cache",
    "enable_flexkv", "enable_unified_memory", "enable_lmcache", "enable_hisparse", "enable_two_batch_overlap",
)  # fmt: skip
STAGING = "SGLANG_DISAGG_STAGING_BUFFER"
TREE_CORE = "SGLANG_UNIFIED_RADIX_TREE_CORE_BACKEND"
DRAFTS = frozenset({"GlmMoeDsaForCausalLM"})
"""Classes whose MTP layer drafts beside sharded pages (`kv_shard_hook.py:110`)."""


@sglang_rule("DIS307", "kv-cache-sharding", source="kv_shard_hook.py:100")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for what does not work with a stripe of each page."""
    if not view.arguments[NAME]:
        return
    problems = [*_role(view), *_caches(view), layout_problem(view), attention_problem(view)]
    for problem in problems:
        if problem is not None:
            message = f"enable-kv-cache-sharding {problem}"
            yield refuse(view, NAME, message, "remove enable-kv-cache-sharding")


def _role(view: SglangView) -> Iterator[str]:
    given, held = view.arguments, view.settings
    backend = given["disaggregation_transfer_backend"]
    if given["disaggregation_mode"] != "prefill":
        yield "works on prefill instances only"
    if backend not in ("mooncake", "mooncake_tcp", "nixl"):
        yield f"does not work with transfer backend {backend}"
    if view.env_on(STAGING):
        yield f"does not work with {STAGING}"
    if given["dllm_algorithm"] is not None:
        yield "does not work with diffusion models"
    if given["dcp_size"] > 1:
        yield f"does not work with dcp {given['dcp_size']}"
    if given["enable_dynamic_chunking"] and held.pp_size > 1:
        yield "does not work with enable-dynamic-chunking over pipeline stages"
    algorithm = algorithm_of(view)
    # Compared before names and sizes are settled: it must be written out.
    alone = given["speculative_algorithm"] == "EAGLE" and given["speculative_eagle_topk"] == 1
    model = view.architecture
    one_layer = model is None or (first_class(view) in DRAFTS and model.mtp_layers == 1)
    if algorithm is not None and not (alone and one_layer and not held.enable_multi_layer_eagle):
        yield f"does not work with speculative-algorithm {algorithm} here"


def _caches(view: SglangView) -> Iterator[str]:
    given = view.arguments
    yield from (f"does not work with {name.replace('_', '-')}" for name in SWITCHES if given[name])
    if given["radix_cache_backend"] is not None:
        yield f"does not work with radix-cache-backend {given['radix_cache_backend']}"
    core = view.env.get(TREE_CORE, "python")
    if core != "python" and not given["disable_radix_cache"]:
        yield f"does not work with {TREE_CORE} {core}"
    if not given["enable_hierarchical_cache"]:
        return
    if given["hicache_storage_backend"] is not None:
        yield f"does not work with hicache-storage-backend {given['hicache_storage_backend']}"
    if is_sparse(view) and given["hicache_host_memory_mode"] != "cache":
        yield "needs hicache-host-memory-mode cache for sparse attention"
    layout = given["hicache_mem_layout"] in ("layer_first", "page_first")
    if is_sparse(view) and not (given["hicache_io_backend"] == "kernel" and layout):
        yield "needs hicache-io-backend kernel and layout layer_first or page_first"
