"""The attention layers of a model as vLLM builds them for one launch."""

from __future__ import annotations

from collections.abc import Mapping

from launchplan.architecture import Architecture
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.attention import Capability, Layer

OWN_BACKENDS = frozenset({"deepseek_v4", "minimax_m3", "mimo_v2"})
"""Families whose layers bring their own backends (`models/deepseek_v4`, `models/minimax_m3`,
`model_executor/models/mimo_v2.py`); vLLM's choice says nothing of them."""
SINKS = frozenset({"gpt_oss"})
"""Families with attention sinks in every layer (`model_executor/models/gpt_oss.py:170`)."""
SPARSE = frozenset({"deepseek_sparse"})
PREFIX_TYPES = frozenset({"bagel", "gemma3", "molmo2", "moondream3", "paligemma"})
"""Model types whose image tokens see each other (`model_arch_config_convertor.py:357`)."""
_ALGORITHMS = {"FP8": "fp8_e4m3", "NVFP4": "nvfp4"}
_DTYPES = {"half": "float16", "float16": "float16", "float32": "float32", "float": "float32"}


def attention_layers(view: EngineView) -> tuple[Layer, ...]:
    """Give one layer of each kind that the model has; nothing where model or GPU are not known enough."""
    model, gpu = view.architecture, view.gpu
    if model is None or gpu is None or gpu.capability is None or not model.known:
        return ()
    if model.family in OWN_BACKENDS or view.env_on("VLLM_MLA_DISABLE"):
        return ()
    if model.is_mla:
        latent = _latent(view, model, gpu.capability)
        return () if latent is None else (latent,)
    sizes = head_sizes(model)
    sliding = any(layer.attention == "sliding" for layer in model.layers)
    return tuple(
        Layer(
            size,
            kv_cache_dtype(view),
            gpu.capability,
            dtype=_dtype(view),
            block_size=_block_size(view),
            sinks=model.family in SINKS,
            sliding=sliding,
            mm_prefix=_two_way(view, model),
            pcp=_size(view, "prefill_context_parallel_size") > 1,
            dcp=_size(view, "decode_context_parallel_size") > 1,
            dcp_size=_size(view, "decode_context_parallel_size"),
            cubins=view.env_on("VLLM_HAS_FLASHINFER_CUBIN"),
            fa4_everywhere=len(sizes) > 1,
        )
        for size in sizes
    )


def kv_cache_dtype(view: EngineView) -> str:
    """Give the type that the KV cache is made of, the checkpoint's wish included; `auto` is the model's own.

    `vllm/utils/torch_utils.py:resolve_kv_cache_dtype_string`, `model_executor/models/config.py:74`, `:92`.
    """
    given, model = view.arguments["kv_cache_dtype"], view.architecture
    name = given if isinstance(given, str) else "auto"
    if name == "auto" and model is not None:
        name = _ALGORITHMS.get((model.quantization.kv_cache_quant_algo or "").upper(), "auto")
    if model is None or model.family not in SPARSE:
        return name
    on_blackwell = view.gpu is not None and view.gpu.capability is not None and view.gpu.capability[0] == 10
    if name == "auto" and on_blackwell and "GlmMoeDsaForCausalLM" in model.architectures:
        return "fp8_e4m3"
    return "auto" if name == "bfloat16" and "DeepseekV32ForCausalLM" in model.architectures else name


def _latent(view: EngineView, model: Architecture, capability: Capability) -> Layer | None:
    mla = model.mla
    if mla is None or mla.kv_lora_rank is None or mla.qk_rope_head_dim is None:
        return None
    tp, topk = _size(view, "tensor_parallel_size"), model.dims.get("index_topk")
    return Layer(
        mla.kv_lora_rank + mla.qk_rope_head_dim,
        kv_cache_dtype(view),
        capability,
        dtype=_dtype(view),
        block_size=_block_size(view),
        mla=True,
        sparse=model.family in SPARSE,
        pcp=_size(view, "prefill_context_parallel_size") > 1,
        dcp=_size(view, "decode_context_parallel_size") > 1,
        dcp_size=_size(view, "decode_context_parallel_size"),
        heads=max(1, (model.num_attention_heads or 0) // tp),
        nope_dim=mla.qk_nope_head_dim,
        rope_dim=mla.qk_rope_head_dim,
        value_dim=mla.v_head_dim,
        lora_rank=mla.kv_lora_rank,
        index_topk=topk if isinstance(topk, int) else None,
        cubins=view.env_on("VLLM_HAS_FLASHINFER_CUBIN"),
    )


def head_sizes(model: Architecture) -> tuple[int, ...]:
    """Give the sizes of a head, those of Gemma 4's wide layers among them."""
    wide = model.dims.get("global_head_dim")
    sizes = [model.head_dim, wide if isinstance(wide, int) else None]
    return tuple(dict.fromkeys(size for size in sizes if size))


def _two_way(view: EngineView, model: Architecture) -> bool:
    if not model.is_multimodal or view.arguments["language_model_only"]:
        return False
    limits = view.arguments["limit_mm_per_prompt"]
    if isinstance(limits, Mapping) and limits.get("image") == 0:
        return False
    return model.model_type in PREFIX_TYPES or model.dims.get("use_bidirectional_attention") == "vision"


def _dtype(view: EngineView) -> str:
    given = view.arguments["dtype"]
    return _DTYPES.get(given if isinstance(given, str) else "", "bfloat16")


def _block_size(view: EngineView) -> int | None:
    given = view.arguments["block_size"]
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def _size(view: EngineView, name: str) -> int:
    value = view.arguments[name]
    return value if isinstance(value, int) and value > 0 else 1


def asked_backend(view: EngineView) -> str | None:
    """Give the attention backend that the command names; None where vLLM chooses."""
    name = view.arguments["attention_backend"]
    if not isinstance(name, str):
        config = view.arguments["attention_config"]
        name = config.get("backend") if isinstance(config, Mapping) else None
    return name.upper() if isinstance(name, str) and name.lower() != "auto" else None
