"""What each attribute of a stage follows from, as far as a search changes it.

Whatever else a rule may read is the same in all recipes of a search. The tables are checked by a test that
varies every fact and compares every attribute.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel

from launchplan.catalog import Gpu
from launchplan.engines.arguments import Arguments
from launchplan.engines.sglang.settings import Given, Resolution, SglangSettings
from launchplan.engines.sglang.view import SglangView
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.settings import VllmSettings
from launchplan.engines.vllm.settings.types import ParallelSettings
from launchplan.engines.vllm.view import VllmView
from launchplan.fit.facts import ALL, SIZES, Mask, mask
from launchplan.recipe import Loaded, Recipe
from launchplan.recipe.schema import Hardware, Parallel, Serve
from launchplan.resolve import Deployment, Resolved, ResolvedPool

_PLACES = mask("places")

_FLAGS: Mapping[str, Mapping[str, Mask]] = {
    "vllm": {
        "tensor_parallel_size": mask("tp"),
        "pipeline_parallel_size": mask("pp"),
        "data_parallel_size": mask("dp"),
        "decode_context_parallel_size": mask("dcp"),
        "enable_expert_parallel": mask("ep"),
        "kv_cache_dtype": mask("kv"),
        "speculative_config": mask("speculative"),
        **dict.fromkeys(
            ("nnodes", "node_rank", "master_addr", "data_parallel_size_local", "data_parallel_address"),
            _PLACES,
        ),
    },
    "sglang": {
        "tp_size": mask("tp", "dp", "ep"),
        "pp_size": mask("pp"),
        "dp_size": mask("dp", "ep"),
        "attn_dp_size": mask("dp", "ep"),
        "enable_dp_attention": mask("dp", "ep"),
        "ep_size": mask("ep"),
        "dcp_size": mask("dcp"),
        "kv_cache_dtype": mask("kv"),
        **dict.fromkeys(("nnodes", "node_rank", "dist_init_addr"), mask("nodes", "places")),
        **dict.fromkeys(
            (
                "speculative_algorithm", "speculative_draft_model_path", "speculative_num_steps",
                "speculative_eagle_topk", "speculative_num_draft_tokens",
            ),
            mask("speculative"),
        ),
    },
}  # fmt: skip


def flags_of(engine: str) -> Mapping[str, Mask]:
    """Give what the flags follow from that a search writes; all others are the same in every recipe."""
    return _FLAGS.get(engine, {})


_VENDOR = mask("gpu.vendor", "gpu.compute_capability")
_DRAFT = mask("speculative")
_VLLM_SETTINGS: Mapping[str, Mask] = {
    "mode": mask("dp", "places"),
    "api_server_count": mask("dp", "places"),
    "dtype": _VENDOR,
    "max_model_len": _DRAFT,
    "max_num_batched_tokens": _VENDOR | mask("gpu.memory_total_bytes", "gpu.id"),
    "max_num_seqs": _VENDOR | mask("gpu.memory_total_bytes", "gpu.id"),
    "kv_cache_dtype": _VENDOR | mask("kv"),
    "async_scheduling": _DRAFT | mask("pp"),
    "v2_runner": _DRAFT | mask("pp"),
    "cudagraph_mode": _DRAFT | mask("pp"),
    "attention_backend": mask("gpu.compute_capability"),
    "spec": _DRAFT | mask("tp"),
}
_VLLM_SAME = frozenset({
    "known", "model", "quantization", "quantization_online", "derived_max_model_len", "chunked_prefill",
    "block_size", "prefix_caching", "moe_backend", "parallel",
})  # fmt: skip
_VLLM_PARALLEL: Mapping[str, Mask] = {
    "tp": mask("tp"),
    "pp": mask("pp"),
    "dp": mask("dp"),
    "dcp": mask("dcp"),
    "expert_parallel": mask("ep"),
    "world_size": mask("replica"),
    **dict.fromkeys(("nnodes", "node_rank", "executor"), _PLACES),
    **dict.fromkeys(("dp_local", "dp_rank", "nnodes_within_dp"), _PLACES | mask("dp")),
}
_VLLM_PARALLEL_SAME = frozenset({"pcp", "external_lb", "hybrid_lb", "all2all", "dcp_comm_backend"})
_RESOLVED: Mapping[str, Mask] = {
    "parallel": 0,
    "gpu": 0,
    "gpu_name": mask("gpu.id"),
    "nodes": mask("nodes"),
    "gpus_per_node": mask("gpus_per_node"),
    "fabric": mask("gpu.id", "nodes"),
    "speculative": _DRAFT,
    "architecture": 0,
    **dict.fromkeys(("deployment", "role", "prefix", "replicas", "serve", "args", "arg_paths", "env"), 0),
    "draft": 0,
}
_RECIPE: Mapping[str, Mask] = {
    **dict.fromkeys(Recipe.model_fields, 0),
    "speculative": _DRAFT,
}
_MEMORY = mask("gpu.memory_total_bytes")
_ALL_SIZES = mask(*SIZES)
_KERNELS = _VENDOR | _DRAFT | mask("dcp", "kv")
_SGLANG_SIZES: Mapping[str, Mask] = {
    "tp_size": mask("tp", "dp", "ep"),
    **dict.fromkeys(("dp_size", "attn_dp_size", "attn_dp_enabled"), mask("dp", "ep")),
    **dict.fromkeys(("attn_cp_size", "moe_dp_size", "moe_dense_tp_size", "disaggregation_mode"), 0),
    "pp_size": mask("pp"),
    "ep_size": mask("ep"),
    "nnodes": mask("nodes"),
    "dcp_size": mask("dcp"),
}
"""Values that follow from the command alone, whatever the GPU is: a search splits no prompts over ranks."""
_SGLANG_BY_NAME: Mapping[str, Mask] = {
    "complete": 0,
    "kv_cache_dtype": mask("kv"),
    **dict.fromkeys(("dcp_comm_backend", "dcp_replicate_q_proj"), _ALL_SIZES | mask("nodes", "gpu.id")),
    "disable_overlap_schedule": mask("pp", "speculative"),
    "max_running_requests": _MEMORY | _DRAFT,
    "max_total_tokens": _MEMORY | _DRAFT,
    "max_prefill_tokens": _MEMORY | _DRAFT,
    **dict.fromkeys(("mem_fraction_static", "decode_graph", "prefill_graph"), _MEMORY | _DRAFT | _ALL_SIZES),
    **dict.fromkeys(("chunked_prefill_size", "schedule_conservativeness"), _MEMORY | mask("dp", "ep")),
    **dict.fromkeys(
        ("enable_flashinfer_allreduce_fusion", "flashinfer_allreduce_fusion_backend"),
        mask("tp", "dp", "ep", "nodes", "gpu.id"),
    ),
    **dict.fromkeys(
        (
            "attention_backend", "prefill_attention_backend", "decode_attention_backend", "page_size",
            "dsa_prefill_backend", "dsa_decode_backend", "prefill_kv_cache_dequant_dtype",
            "speculative_attention_mode", "speculative_draft_attention_backend",
        ),
        _KERNELS,
    ),
}  # fmt: skip
_SGLANG_SETTINGS = {
    each.name: _SGLANG_SIZES.get(each.name, _SGLANG_BY_NAME.get(each.name, _DRAFT) | _VENDOR)
    for each in fields(SglangSettings)
}
"""Off NVIDIA nothing is resolved, so the other values follow from the vendor, too."""
_SAME: Mapping[type, frozenset[str]] = {
    Deployment: frozenset(each.name for each in fields(Deployment)),
    Resolved: frozenset({"deployment", "pools"}),
    EngineView: frozenset({"pool", "arguments", "env", "paths"}),
    VllmView: frozenset({"pool", "arguments", "env", "paths", "settings"}),
    SglangView: frozenset({"pool", "arguments", "env", "paths", "resolution"}),
    Resolution: frozenset({"settings"}),
    Given: frozenset({"arguments", "env"}),
    Arguments: frozenset({"facts", "values", "given"}),
    Loaded: frozenset({"value"}),
    VllmSettings: _VLLM_SAME,
    ParallelSettings: _VLLM_PARALLEL_SAME,
}
"""Attributes that a search does not change, or whose parts are in a table of their own."""
_PARSED = mask("kv", "speculative")
_CHANGED: Mapping[type, Mapping[str, Mask]] = {
    VllmSettings: _VLLM_SETTINGS,
    ParallelSettings: _VLLM_PARALLEL,
    ResolvedPool: _RESOLVED,
    Recipe: _RECIPE,
    Parallel: {name: mask(name) for name in SIZES},
    Serve: {**dict.fromkeys(Serve.model_fields, 0), "kv_cache_dtype": mask("kv")},
    Hardware: {
        "gpu": mask("gpu.id"),
        "nodes": mask("nodes"),
        "gpus_per_node": mask("gpus_per_node"),
        "fabric": mask("nodes"),
    },
    Gpu: {name: mask(f"gpu.{name}") for name in Gpu.model_fields},
    SglangSettings: _SGLANG_SETTINGS,
    Resolution: {"after": _VENDOR, "given": _VENDOR},
    Given: {
        "model": _VENDOR,
        "capability": _VENDOR,
        "memory_mib": mask("gpu.memory_total_bytes"),
        "across_hosts": mask("gpu.id"),
    },
    Arguments: {"refusal": _PARSED, "unread": _PARSED},
    EngineView: {"refused": _PARSED},
    VllmView: {"refused": _PARSED},
    SglangView: {"refused": _PARSED},
}

_COMPUTED: Mapping[type, Mapping[str, Mask]] = {
    ResolvedPool: {
        "world": mask("world"),
        "replica": mask("replica"),
        "gpus": mask("nodes", "gpus_per_node"),
    },
    Deployment: {"evidence": 0},
}
"""Properties that stand for themselves: many layouts differ in what they are computed from, few in them."""


_POOL: Mapping[str, Mask] = {"vllm": mask("tp", "pp", "dp", "ep", "speculative")}
"""The bytes of a rank's pool on one GPU; SGLang's share of the memory follows from everything."""


def pool_of(engine: str) -> Mask:
    """Give what the bytes of a pool follow from on one GPU, however they are divided into tokens."""
    return _POOL.get(engine, ALL)


def computed_of(kind: type) -> Mapping[str, Mask]:
    """Give the properties of a stage's class that a rule reads as if they were attributes."""
    return _COMPUTED.get(kind, {})


@cache
def attributes_of(kind: type) -> Mapping[str, Mask]:
    """Give what each attribute of a stage's class follows from; all facts where no table says."""
    names = [each.name for each in fields(kind)] if is_dataclass(kind) else list(_fields_of(kind))
    same, changed = _SAME.get(kind, frozenset()), _CHANGED.get(kind, {})
    return {name: changed.get(name, 0 if name in same else ALL) for name in names}


def _fields_of(kind: type[Any]) -> Mapping[str, object]:
    return kind.model_fields if issubclass(kind, BaseModel) else {}
