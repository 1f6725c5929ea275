"""Whether an engine keeps on its GPUs what the checkpoint holds, and how much of it that is.

Flags by the parser's name, vLLM 0.33.0 (`config/offload.py`, `config/model.py`) and SGLang 0.5.23
(`server_args.py`).
"""

from __future__ import annotations

from launchplan.architecture import Architecture
from launchplan.engines.flags import raw_flags
from launchplan.memory.checkpoint import checkpoint_size
from launchplan.resolve import ResolvedPool
from launchplan.rules.formats.names import sglang_stored
from launchplan.rules.given import quantization, serve_value

ELSEWHERE = frozenset({
    "cpu_offload_gb", "cpu_offload_params", "offload_backend", "offload_group_size", "offload_num_in_group",
    "offload_params", "offload_mode", "offload_prefetch_step", "ple_offload_embedding", "ple_offload_backend",
    "kt_weight_path", "kt_num_gpu_experts", "kt_method", "enable_paged_experts", "paged_experts_num_resident",
    "weight_cache_mode", "dwdp_size",
})  # fmt: skip
"""Flags that keep weights in host memory, or fetch them when they are wanted."""
REMADE = frozenset({
    "quantization_config", "modelopt_quant", "rl_quant_profile", "torchao_config", "hf_overrides",
    "json_model_override_args", "hf_config_path", "model_class_overrides", "model_impl",
    "custom_weight_loader", "model_loader_extra_config", "config", "tokens_only", "mm_encoder_only",
    "encoder_only",
})  # fmt: skip
"""Flags after which what is loaded is not what the checkpoint holds, or nobody knows."""
PLAIN_LOADERS = frozenset(
    {"auto", "safetensors", "fastsafetensors", "runai_streamer", "dummy", "instanttensor"}
)
"""Ways of reading that change nothing about the weights."""
WIDE = frozenset({"float32", "float64"})
"""Types that are halved when they are loaded."""


def loads_all(pool: ResolvedPool) -> bool:
    """Tell whether the GPUs of one copy have to hold the checkpoint as it is stored."""
    given, serve = raw_flags(pool), pool.serve
    written = {name for name, value in given.items() if value not in (None, False, 0)}
    if written & (ELSEWHERE | REMADE) or serve.hf_overrides:
        return False
    loader, _ = serve_value(pool, "load_format")
    return loader in {None, *PLAIN_LOADERS} and _keeps_format(pool)


def _keeps_format(pool: ResolvedPool) -> bool:
    model = pool.architecture
    if model is None or model.dtype in WIDE:
        return False
    asked, _ = serve_value(pool, "quantization")
    if asked is None:
        return True
    stored = quantization(pool.deployment)
    if stored is None or not stored.is_quantized or "quantization.method" in model.unknown:
        return False
    return asked in {stored.method, stored.quant_method, sglang_stored(stored)}


def loaded_bytes(pool: ResolvedPool, stored: int) -> int:
    """Give the bytes of a checkpoint that are surely loaded: without drafting layers, and without a tower."""
    model = pool.architecture
    return stored if model is None else int(stored * (1 - _left_out(model)))


def _left_out(model: Architecture) -> float:
    """Give the share of layers that draft and of the vision tower, which a text server may leave out."""
    size = checkpoint_size(model)
    if size is not None:
        apart = sum(size.by_class.get(name, 0) for name in ("mtp", "vision", "projector"))
        return apart / size.total
    extra, layers = model.mtp_layers or 0, model.num_hidden_layers or 1
    return extra / (extra + layers) + (0.1 if model.is_multimodal else 0)
