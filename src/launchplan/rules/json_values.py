"""What vLLM 0.33.0 refuses among the values of one JSON flag, besides unknown keys and wrong types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from launchplan.rules.wording import shown
from launchplan.units import choice_text

Config = Mapping[str, Any]
Demands = Iterator[tuple[bool, str]]
PROTON = {
    "proton_profiler_dir": "", "proton_context": "shadow", "proton_data": "tree", "proton_backend": None,
    "proton_mode": None, "proton_hook": None, "proton_output_format": None, "proton_graph_attribution": False,
}  # fmt: skip
"""Options of the Proton profiler and their defaults (profiler.py:251)."""
FORMATS = ("hatchet", "hatchet_msgpack")
SHORTHANDS = (
    "fp8_per_tensor", "fp8_per_block", "fp8_per_channel", "mxfp8", "mxfp4", "int8_per_channel_weight_only",
    "nvfp4_per_token",
)  # fmt: skip
"""Formats that `targets` gives to layers (quantization.py:195)."""
EXPERTS_ONLY = frozenset({"int8_per_channel_weight_only", "nvfp4_per_token"})
KEYS = frozenset({
    "fp8_per_tensor_static", "fp8_per_tensor_dynamic", "fp8_per_token", "fp8_per_channel_static",
    "fp8_per_block_static", "fp8_per_block_dynamic", "mxfp8", "mxfp4", "nvfp4_per_token",
    "int8_per_channel_static", "int8_per_group_32", "int4_per_group_32",
})  # fmt: skip
"""Formats of weights and activations (quantization.py:36)."""
KINDS = frozenset({
    "full_attention", "mla_attention", "sliding_window", "sliding_window_mla", "mamba",
    "chunked_local_attention", "sink_full_attention", "encoder_only_attention", "cross_attention", "unknown",
})  # fmt: skip
"""Kinds of a KV cache (v1/kv_cache_interface.py:183)."""
LATENT_PREFILL = frozenset({
    "FLASH_ATTN", "FLASHINFER", "TRTLLM_RAGGED", "TOKENSPEED_MLA", "ROCM_AITER_FA", "CPU", "ZEN_CPU",
    "CUSTOM",
})  # fmt: skip
"""v1/attention/backends/mla/prefill/registry.py:37."""


def profiler(config: Config) -> Demands:
    """profiler.py:211."""
    kind, folder = config.get("profiler"), config.get("torch_profiler_dir")
    activities = config.get("torch_profiler_activities")
    listed = activities if isinstance(activities, list) else []
    yield activities is not None and kind != "torch", "has torch_profiler_activities without profiler torch"
    yield len(listed) != len({str(each) for each in listed}), "names an activity twice"
    yield bool(folder) and kind != "torch", "has torch_profiler_dir without profiler torch"
    yield kind == "torch" and not folder, "has profiler torch without torch_profiler_dir"
    given = [name for name, default in PROTON.items() if config.get(name, default) != default]
    yield bool(given) and kind != "proton", f"has {', '.join(given)} without profiler proton"
    yield (
        bool(config.get("capture_torch_profiler")) and kind != "torch",
        "has capture_torch_profiler without profiler torch",
    )
    if kind == "proton":
        yield from _proton(config)


def _proton(config: Config) -> Demands:
    folder, data = config.get("proton_profiler_dir"), config.get("proton_data", "tree")
    mode, form = config.get("proton_mode"), config.get("proton_output_format")
    graphs = bool(config.get("proton_graph_attribution"))
    flushing = isinstance(mode, str) and mode.partition(":")[0].lower() == "periodic_flushing"
    yield not folder, "has profiler proton without proton_profiler_dir"
    yield isinstance(folder, str) and "://" in folder, "proton_profiler_dir is no local folder"
    yield graphs and data != "tree", "proton_graph_attribution needs proton_data tree"
    yield graphs and flushing, "proton_graph_attribution does not go with periodic_flushing"
    yield form == "chrome_trace" and data != "trace", "chrome_trace needs proton_data trace"
    yield form in FORMATS and data != "tree", f"{form} needs proton_data tree"


def structured_outputs(config: Config) -> Demands:
    """structured_outputs.py:68."""
    backend = config.get("backend", "auto")
    spaces, properties = config.get("disable_any_whitespace"), config.get("disable_additional_properties")
    yield (
        bool(spaces) and backend not in {"xgrammar", "guidance"},
        "disable_any_whitespace needs backend xgrammar or guidance",
    )
    yield bool(properties) and backend != "guidance", "disable_additional_properties needs backend guidance"


def pooler(config: Config) -> Demands:
    """pooler.py:141."""
    yield config.get("logit_sigma") == 0, "logit_sigma is 0, by which logits are divided"
    for other in ("seq_pooling_type", "tok_pooling_type"):
        both = bool(config.get("pooling_type")) and config.get(other) is not None
        yield both, f"has pooling_type and {other}"


def quantization(config: Config) -> Demands:
    """quantization.py:138."""
    targets = config.get("targets")
    for field in ("linear", "moe"):
        name = config.get(field)
        yield name is not None and targets is not None, f"has targets and {field}"
        if isinstance(name, str):
            yield name not in KEYS and name not in SHORTHANDS, f"{field} is {shown(name)}"
            yield (
                field == "linear" and name in EXPERTS_ONLY and name not in KEYS,
                f"{name} is for experts only",
            )
    yield targets is not None and not isinstance(targets, Mapping), "targets is no mapping"
    for pattern, name in targets.items() if isinstance(targets, Mapping) else ():
        yield name not in SHORTHANDS, f"targets has {shown(name)}; use {choice_text(SHORTHANDS)}"
        yield _is_no_regex(str(pattern)), f"targets has {shown(pattern)}, which is no regular expression"


def _is_no_regex(pattern: str) -> bool:
    if not pattern.startswith("re:"):
        return False
    try:
        re.compile(pattern[3:])
    except re.error:
        return True
    return False


def encoder_transfer(config: Config) -> Demands:
    """ec_transfer.py:91."""
    missing = config.get("ec_connector") is not None and config.get("ec_role") is None
    yield missing, "gives ec_connector no ec_role"


def encoder_cache(config: Config) -> Demands:
    """ec_manager_config.py:22."""
    alone = bool(config.get("manager_config")) and not config.get("encoder_cache_manager_cls")
    yield alone, "has manager_config without encoder_cache_manager_cls"


def watermark(config: Config) -> Demands:
    """watermarking.py:20."""
    yield "key" not in config, "has no key"


def media_limits(config: Config) -> Demands:
    """multimodal.py:200: a count, or a mapping with sizes."""
    for kind, limit in config.items():
        word = isinstance(limit, str) and not limit.strip().lstrip("+").isdecimal()
        yield word or isinstance(limit, list), f"gives {kind} {shown(limit)}"


def compilation(config: Config) -> Demands:
    """compilation.py:1049."""
    for name in ("decoder_replay_cudagraph_capture_sizes", "encoder_cudagraph_token_budgets"):
        sizes = config.get(name)
        numbers = [size for size in sizes if isinstance(size, int)] if isinstance(sizes, list) else []
        yield any(size <= 0 for size in numbers), f"{name} has a number that is not positive"
    sizes = config.get("cudagraph_capture_sizes")
    words = [size for size in sizes if isinstance(size, str)] if isinstance(sizes, list) else []
    odd = next((word for word in words if not word.strip().lstrip("+-").isdecimal()), None)
    yield odd is not None, f"cudagraph_capture_sizes has {shown(odd)}"


def attention(config: Config) -> Demands:
    """attention.py:192, :232, :256."""
    kinds, prefill = config.get("backend_per_kind"), config.get("mla_prefill_backend")
    odd = next((kind for kind in kinds if kind not in KINDS), None) if isinstance(kinds, Mapping) else None
    yield odd is not None, f"backend_per_kind has {shown(odd)}"
    unknown = isinstance(prefill, str) and prefill.upper() not in LATENT_PREFILL
    yield unknown, f"mla_prefill_backend is {shown(prefill)}"
    plain = config.get("indexer_kv_dtype", "auto") in {"auto", "bf16", "fp8", "fp8_e4m3"}
    yield (
        bool(config.get("minimax_m3_indexer_cp")) and not plain,
        "minimax_m3_indexer_cp needs indexer_kv_dtype bf16 or fp8",
    )


def class_overrides(config: Config) -> Demands:
    """model.py:1181, model_executor/models/registry.py:1207."""
    for name, target in config.items():
        plain = isinstance(target, str) and target.count(":") != 1
        yield plain, f"gives {name} {shown(target)}, which is not module:class"


DEMANDS: dict[str, tuple[str, Callable[[Config], Demands]]] = {
    "profiler_config": ("profiler.py:211", profiler),
    "structured_outputs_config": ("structured_outputs.py:68", structured_outputs),
    "pooler_config": ("pooler.py:141", pooler),
    "quantization_config": ("quantization.py:138", quantization),
    "ec_transfer_config": ("ec_transfer.py:91", encoder_transfer),
    "ec_manager_config": ("ec_manager_config.py:22", encoder_cache),
    "attention_config": ("attention.py:192", attention),
    "watermark_config": ("watermarking.py:20", watermark),
    "limit_mm_per_prompt": ("multimodal.py:200", media_limits),
    "compilation_config": ("compilation.py:1049", compilation),
    "model_class_overrides": ("model.py:1181", class_overrides),
}
"""File and line of each configuration, and what it refuses."""
