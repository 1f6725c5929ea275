"""The memory budget: prefill chunk, graph sizes, static share (`arg_groups/memory_hook.py`, 0.5.23)."""

from __future__ import annotations

from dataclasses import replace

from launchplan.engines.sglang.settings import classes, cuda_graph
from launchplan.engines.sglang.settings.given import Given
from launchplan.engines.sglang.settings.types import Graph, SglangSettings, changed

GIB = 1024
"""MiB in a GiB; the engine reckons in MiB here."""
TIERS: tuple[tuple[int | None, int, int, int], ...] = (
    (20, 2048, 8, 8), (35, 4096, 48, 160), (60, 4096, 32, 160), (90, 8192, 256, 512), (160, 8192, 256, 512),
    (None, 16384, 512, 512),
)  # fmt: skip
"""Below so many GiB of device memory: prefill chunk, largest decode graph with tp < 4, with more
(`memory_hook.py:89`)."""
UNKNOWN = (4096, 160, 160)
LARGE_GPU = 60 * GIB
LATENT_PREFILL = 8192
"""Largest prefill graph of latent attention, and of pipeline stages (`memory_hook.py:25`, `:238`)."""
WIDE_TP = 4


def budget(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle chunk, graph sizes and static share (`memory_hook.py:47`)."""
    chunk, small, large = _tier(given.memory_mib)
    if now.chunked_prefill_size is None:
        now = changed(now, chunked_prefill_size=chunk)
    decode = _decode_graph(given, now, small if now.tp_size < WIDE_TP else large)
    now = changed(now, decode_graph=decode, prefill_graph=_prefill_graph(given, now))
    if now.mem_fraction_static is None:
        now = changed(now, mem_fraction_static=_static_share(given, now))
    return now


def _tier(memory: float | None) -> tuple[int, int, int]:
    if memory is None:
        return UNKNOWN
    for limit, chunk, small, large in TIERS:
        if limit is None or memory < limit * GIB:
            return chunk, small, large
    return UNKNOWN


def _decode_graph(given: Given, now: SglangSettings, default: int) -> Graph:
    graph = now.decode_graph
    largest = graph.max_bs
    limit = now.max_running_requests
    if largest is None:
        largest = default if limit is None else min(default, limit)
    if _follows_requests(given, graph, limit, largest) and limit is not None:
        largest = limit
    if graph.sizes is not None:
        return replace(graph, max_bs=max(graph.sizes))
    padded = not given["disable_cuda_graph_padding"]
    sizes = cuda_graph.decode_sizes(largest, speculative=now.speculative_algorithm is not None, padded=padded)
    return replace(graph, max_bs=largest, sizes=sizes)


def _follows_requests(given: Given, graph: Graph, limit: int | None, largest: int) -> bool:
    """Tell whether Qwen3-VL on a large Hopper captures up to the request limit (`qwen3_vl.py:35`)."""
    if limit is None or not largest < limit <= 512 or graph.max_bs_given or graph.sizes_given:
        return False
    return large_hopper_qwen(given)


def large_hopper_qwen(given: Given) -> bool:
    """Tell whether this is Qwen3-VL on a Hopper with 60 GiB or more (`model_overrides/qwen3_vl.py:19`)."""
    model = given.model
    big = given.memory_mib is not None and given.memory_mib >= LARGE_GPU
    return given.hopper and big and model.is_multimodal and model.model_type in classes.QWEN3_VL_TYPES


def _prefill_graph(given: Given, now: SglangSettings) -> Graph:
    graph = now.prefill_graph
    largest = graph.max_bs
    if largest is None:
        largest = now.chunked_prefill_size or 0
        if given.model.is_mla:
            largest = min(LATENT_PREFILL, largest)
        if now.pp_size > 1 and graph.backend == cuda_graph.BREAKABLE and not graph.sizes_given:
            largest = min(LATENT_PREFILL, largest)
        if now.max_total_tokens is not None:
            largest = min(largest, now.max_total_tokens)
        if "llama-2" in str(given["model_path"]).lower():
            largest = min(largest, 4096)
    return replace(graph, max_bs=largest, sizes=graph.sizes or cuda_graph.prefill_sizes(largest))


def _static_share(given: Given, now: SglangSettings) -> float:
    late = _sized_after_capture(given, now)
    parallel = now.tp_size * now.pp_size / 8 * GIB
    reserved = 1536 + parallel if late else _reserve(given, now, parallel)
    memory = given.memory_mib
    share = 0.95 if not memory else round((memory - reserved) / memory, 3)
    towers = given.model.is_multimodal and not given["language_only"] and not given["language_model_only"]
    if towers and now.disaggregation_mode != "decode":
        share = _with_towers(given, share, late=late)
    return share


def _reserve(given: Given, now: SglangSettings, parallel: float) -> float:
    """Add up activations, slack of the layout and graphs, in MiB (`memory_hook.py:297`)."""
    chunk = now.chunked_prefill_size or 0
    if now.disaggregation_mode == "decode":
        requests = now.max_running_requests or now.decode_graph.max_bs or 1
        tokens = max(requests * (now.speculative_num_draft_tokens or 1), 2048)
    else:
        tokens = max(chunk if chunk > 0 else now.max_prefill_tokens, 2048)
    reserved = 512 + tokens * 1.5 + parallel + _graphs(given, now)
    if given.memory_mib is not None and given.memory_mib > LARGE_GPU:
        reserved = max(reserved, 10 * GIB)
    if now.disaggregation_mode != "prefill" and now.decode_graph.on and now.moe_a2a_backend == "deepep":
        reserved += 2 * GIB
    return reserved


def _graphs(given: Given, now: SglangSettings) -> float:
    """Estimate what captured graphs hold, in MiB (`memory_hook.py:357`)."""
    decode, prefill = now.decode_graph, now.prefill_graph
    largest = decode.max_bs or 0
    held = 0.0
    if now.disaggregation_mode != "prefill":
        held += largest * 2 if decode.on else 0
        if now.attn_dp_enabled:
            held += largest * now.attn_dp_size * (4.5 if largest > 300 else 3)
    if now.disaggregation_mode != "decode" and prefill.on:
        held += 1.5 * GIB if given.model.is_mla else len(prefill.sizes or ()) * 8
        if prefill.backend == cuda_graph.BREAKABLE and now.moe_a2a_backend == "deepep":
            held += GIB
    return held


def _sized_after_capture(given: Given, now: SglangSettings) -> bool:
    """Tell whether the KV cache is sized after graphs are captured (`overrides.py:1791`)."""
    model = given.model
    if given["enable_kv_cache_sharding"] or not given.switched_on("SGLANG_ENABLE_POST_CAPTURE_KV_SIZING"):
        return False
    if (
        now.dcp_size != 1
        or model.is_mla
        or given["prefill_only_disable_kv_cache"]
        or given["enable_memory_saver"]
    ):
        return False
    if given.env.get("SGLANG_MOONCAKE_CUSTOM_MEM_POOL") is not None or given["enable_unified_memory"]:
        return False
    efa = given.env.get("MOONCAKE_PROTOCOL", "").lower() == "efa"
    if now.disaggregation_transfer_backend == "mooncake" and efa:
        return False
    if now.disaggregation_mode != "prefill" and not now.decode_graph.on:
        return False
    if now.disaggregation_mode != "decode" and not _whole_chunk_captured(given, now):
        return False
    return not model.is_deepseek_v4 and model.name not in classes.MINIMAX_M3


def _whole_chunk_captured(given: Given, now: SglangSettings) -> bool:
    graph, chunk = now.prefill_graph, now.chunked_prefill_size or 0
    tokens = chunk
    if given["enable_dynamic_chunking"] and now.pp_size > 1 and chunk > 0:
        tokens = max(chunk, now.max_prefill_tokens, -(-chunk * 5 // 4))
    return graph.on and chunk > 0 and tokens <= max(graph.sizes or (0,))


def _with_towers(given: Given, share: float, *, late: bool) -> float:
    """Leave room for the vision encoder by its size (`memory_hook.py:417`)."""
    if late:
        return share - 8 * GIB / given.memory_mib if given.memory_mib else share
    tower = given.model.tower
    if tower is None:
        return share
    layers, hidden = tower
    complexity = layers * hidden**2 / (24 * 1024**2)
    factor = max(0.8, min(1.05, 1.0 - 0.1 * (complexity - 1.0)))
    return share * (0.95 * factor)


def sharded(given: Given, now: SglangSettings) -> SglangSettings:
    """Round the chunk up to pages that ranks share, and prefill eagerly (`kv_shard_hook.py:287`)."""
    chunk, page = now.chunked_prefill_size or 0, now.page_size or 1
    if not given["enable_kv_cache_sharding"] or chunk <= 0 or page <= 1:
        return now
    rounded = -(-chunk // page) * page
    grown = 1.5 * (max(rounded, 2048) - max(chunk, 2048))
    share = now.mem_fraction_static
    if given["mem_fraction_static"] is None and share is not None and given.memory_mib:
        share -= grown / given.memory_mib
    decode = now.decode_graph if now.speculative_algorithm is None else cuda_graph.off(now.decode_graph)
    return changed(
        now, chunked_prefill_size=rounded, mem_fraction_static=share, decode_graph=decode,
        prefill_graph=cuda_graph.off(now.prefill_graph),
    )  # fmt: skip
