"""Kernels that older releases had not for a GPU: number formats, attention, experts."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch

from launchplan.architecture import Architecture, Quantization
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.layers import SINKS, asked_backend, head_sizes, kv_cache_dtype
from launchplan.rules.given import quantization
from launchplan.rules.past import Found, Past, capability, size
from launchplan.rules.sizes import sizes_of

TURING, ADA = (7, 5), (8, 9)
AMPERE, HOPPER, BLACKWELL, CONSUMER = 8, 9, 10, 12
TILE = 64
"""Columns of a tile that Marlin repacks (`csrc/quantization/gptq_marlin/gptq_marlin_repack.cu`)."""
GROUP = 16
"""Values that share a scale in NVFP4."""
AITER_HEADS = frozenset({16, 128})
FLASHINFER_HEADS = frozenset({64, 128, 256})
SPARSE = frozenset({"deepseek_sparse", "deepseek_v4"})
FP8 = "fp8"


def _backend(view: EngineView) -> str | None:
    """Name the attention backend that is asked for, by a flag or by the variable before it."""
    return asked_backend(view) or view.env.get("VLLM_ATTENTION_BACKEND", "").upper() or None


def _major(view: EngineView) -> int | None:
    has = capability(view)
    return has[0] if has else None


def _stored(view: EngineView) -> Quantization | None:
    return quantization(view.pool.deployment)


def _is_fp8(stored: Quantization | None) -> bool:
    return stored is not None and FP8 in stored.formats


def _on(view: EngineView) -> str:
    has = capability(view)
    return f"{has[0]}.{has[1]}" if has else "this GPU"


def _fp8_weights(*, blocks: bool) -> Past:
    def finds(view: EngineView) -> Found:
        stored = _stored(view)
        if _major(view) != CONSUMER or stored is None or not _is_fp8(stored):
            return None
        if blocks != bool(stored.weight_block_size):
            return None
        return f"no kernel for FP8 weights on {_on(view)} in this release"

    until = "0.10.1" if blocks else "0.9.2"
    source = f"vllm-project/vllm issue {21648 if blocks else 19605}"
    return Past("vllm", until, source, finds, "quantization", "use a newer release", "0.9.0", "run")


def _channel_experts(view: EngineView) -> Found:
    stored, model = _stored(view), view.architecture
    if _major(view) != CONSUMER or model is None or model.moe is None or stored is None:
        return None
    if not _is_fp8(stored) or stored.weight_block_size or stored.quant_method != "compressed-tensors":
        return None
    return f"no kernel for FP8 experts with a scale a channel on {_on(view)} in this release"


def _marlin_tiles(view: EngineView) -> Found:
    """Without FP8 units FP8 layers are repacked for Marlin, which takes whole tiles of columns."""
    has, stored, model = capability(view), _stored(view), view.architecture
    if has is None or has >= ADA or has < TURING or model is None or stored is None or not _is_fp8(stored):
        return None
    tp = size(view, "tensor_parallel_size")
    for columns, what, name in _columns(model):
        if columns % tp == 0 and columns // tp % TILE and not _left_out(stored, name):
            return f"{what} of {columns} columns / tp {tp} = {columns // tp}, no multiple of Marlin's {TILE}"
    return None


def _columns(model: Architecture) -> Iterator[tuple[int, str, str]]:
    if model.dense_intermediate_size is not None:
        yield 2 * model.dense_intermediate_size, "gate and up projection", "model.layers.0.mlp.gate_up_proj"
    linear = model.linear_attention
    if linear is None or linear.num_value_heads is None:
        return
    # FP8 in Qwen3-Next's FP8 checkpoint (issue 25039), not in those of the models after it (37972).
    if linear.kind == "gdn" and "Qwen3NextForCausalLM" in model.architectures:
        yield 2 * linear.num_value_heads, "gate projection", "model.layers.0.linear_attn.in_proj_ba"
    sizes = (linear.value_head_dim, linear.num_groups, linear.state_size)
    if linear.kind == "mamba2" and None not in sizes:
        head, groups, state = (each or 0 for each in sizes)
        inner = linear.num_value_heads * head
        columns = 2 * inner + 2 * groups * state + linear.num_value_heads
        yield columns, "input projection of the state layers", "backbone.layers.0.mixer.in_proj"


def _left_out(stored: Quantization, name: str) -> bool:
    last = name.rpartition(".")[2]
    return any(last in each or fnmatch(name, each) for each in stored.ignore)


def _split_groups(view: EngineView) -> Found:
    stored, parts = _stored(view), sizes_of(view).experts
    moe, major = view.architecture.moe if view.architecture else None, _major(view)
    width = moe.intermediate_size if moe else None
    if stored is None or "nvfp4" not in stored.formats or width is None or not parts or width % parts:
        return None
    if major is None or major >= BLACKWELL or width // parts % GROUP == 0:
        return None
    return f"experts {width} wide / {parts} ranks = {width // parts}, no multiple of the NVFP4 group {GROUP}"


def _has_sinks(view: EngineView) -> bool:
    return view.architecture is not None and view.architecture.family in SINKS


def _first_sinks(view: EngineView) -> Found:
    """Triton has them for Ampere and what came after (`platforms/cuda.py:322`, 0.10.1)."""
    major = _major(view)
    if not _has_sinks(view) or major is None or major >= AMPERE:
        return None
    return f"no attention backend of this release has sinks on {_on(view)}"


def _sinks_of_backend(view: EngineView) -> Found:
    name, major = _backend(view), _major(view)
    lacks = name == "XFORMERS" or (name == "FLASHINFER" and major is not None and major != BLACKWELL)
    return f"attention backend {name} has no sinks on {_on(view)}" if lacks and _has_sinks(view) else None


def _fp8_cache(view: EngineView) -> bool:
    return kv_cache_dtype(view).startswith(FP8)


def _wide_heads(view: EngineView) -> Found:
    """FlashInfer's first kernels are for three sizes of a head."""
    model = view.architecture
    if _backend(view) != "FLASHINFER" or model is None or model.is_mla or (_major(view) or 0) < AMPERE:
        return None
    other = [each for each in head_sizes(model) if each not in FLASHINFER_HEADS]
    return f"attention backend FLASHINFER has no kernels for heads of {other[0]}" if other else None


def _early_cache(view: EngineView) -> Found:
    has = capability(view)
    if has is None or has >= TURING or not _fp8_cache(view) or kv_cache_dtype(view) == "fp8_e5m2":
        return None
    return f"kv_cache_dtype {kv_cache_dtype(view)} has no attention backend on {_on(view)}"


def _flash_cache(view: EngineView) -> Found:
    """FlashAttention 2, which runs on all but Hopper and data-centre Blackwell, reads 16 bits only."""
    major = _major(view)
    other = major is not None and major not in {HOPPER, BLACKWELL}
    if not other or _backend(view) != "FLASH_ATTN" or not _fp8_cache(view):
        return None
    return f"attention backend FLASH_ATTN has no {kv_cache_dtype(view)} KV cache on {_on(view)}"


def _sparse_on(*majors: int, families: frozenset[str] = SPARSE) -> object:
    def finds(view: EngineView) -> Found:
        model = view.architecture
        if model is None or model.family not in families or _major(view) not in majors:
            return None
        return f"sparse attention has no kernels for {_on(view)} in this release"

    return finds


def _sparse_shares(view: EngineView) -> Found:
    """Parts of the attention are merged by a sum that FlashMLA's kernel for FP8 did not give."""
    model, dcp = view.architecture, size(view, "decode_context_parallel_size")
    sparse = model is not None and model.family == "deepseek_sparse"
    if dcp == 1 or not sparse or _major(view) != HOPPER or not _fp8_cache(view):
        return None
    name = kv_cache_dtype(view)
    return f"dcp {dcp}: this release does not split sparse attention with a {name} KV cache on {_on(view)}"


def _aiter_heads(view: EngineView) -> Found:
    model, tp = view.architecture, size(view, "tensor_parallel_size")
    amd = view.gpu is not None and view.gpu.vendor == "amd"
    off = view.env.get("VLLM_ROCM_USE_AITER_MLA", "1").strip() in {"0", "false", "False"}
    heads = model.num_attention_heads if model and model.is_mla else None
    if not amd or off or not view.env_on("VLLM_ROCM_USE_AITER") or heads is None or heads % tp:
        return None
    if heads // tp in AITER_HEADS:
        return None
    return f"{heads} heads / tp {tp} = {heads // tp}: AITER's latent attention takes 16 or 128 here"


def _sglang_channel(view: EngineView) -> Found:
    stored, model = _stored(view), view.architecture
    packed = stored is not None and stored.quant_method == "compressed-tensors" and "nvfp4" in stored.formats
    experts = model is not None and model.moe is not None
    return "this release has no scheme for compressed-tensors NVFP4 experts" if packed and experts else None


def _sglang_experts(view: EngineView) -> Found:
    """The Triton kernel of experts multiplies FP8 values, which a GPU before Ada has not."""
    has, stored, model = capability(view), _stored(view), view.architecture
    if has is None or has >= ADA or model is None or model.moe is None or not _is_fp8(stored):
        return None
    return f"fp8 experts needs compute capability 8.9 in this release; the GPU has {_on(view)}"


def _sglang_sparse(view: EngineView) -> Found:
    model, asked = view.architecture, view.arguments["attention_backend"]
    sparse = model is not None and model.family == "deepseek_sparse"
    if not sparse or _major(view) != CONSUMER or asked not in {None, "nsa", "dsa"}:
        return None
    return f"the indexer of sparse attention has no kernel for {_on(view)} in this release"


def _sglang_runner(view: EngineView) -> Found:
    """The first batch fails an assertion of that runner."""
    model, asked = view.architecture, view.arguments["moe_runner_backend"]
    if model is None or model.family != "deepseek_v4" or asked != "flashinfer_trtllm":
        return None
    return f"moe-runner-backend {asked} does not run this model's experts in this release"


def _sglang_cache(view: EngineView) -> Found:
    given = view.arguments
    name, asked = str(given["kv_cache_dtype"]), given["attention_backend"]
    if _major(view) != CONSUMER or not name.startswith(FP8) or asked not in {"fa4", "trtllm_mha"}:
        return None
    return f"attention-backend {asked} has no {name} KV cache on {_on(view)} in this release"


_NEWER = "use a newer release"
_VLLM, _SGLANG = "vllm-project/vllm issue", "sgl-project/sglang issue"
TABLE = (
    _fp8_weights(blocks=False),
    _fp8_weights(blocks=True),
    Past("vllm", "0.14.0", f"{_VLLM} 32109", _channel_experts, "quantization", _NEWER, "0.13.0", "run"),
    Past("vllm", "0.22.1", f"{_VLLM}s 25039, 37972, zai-org/GLM-4.5 issues 23, 94, zai-org/GLM-V issue 178,"
         " vllm-project/vllm pull request 43910", _marlin_tiles, "tensor_parallel_size", "use a smaller tp",
         "0.10.0"),
    Past("vllm", "0.28.0", f"{_VLLM} 49949", _split_groups, "tensor_parallel_size",
         "use ep, which keeps experts whole", "0.27.0"),
    Past("vllm", "0.10.2", f"{_VLLM} 22331", _first_sinks, "attention_backend", _NEWER, "0.10.1"),
    Past("vllm", "0.33.0", f"{_VLLM}s 28589, 40153", _sinks_of_backend, "attention_backend",
         "leave the backend out", "0.10.1"),
    Past("vllm", "0.22.0", f"{_VLLM} 40677, pull request 7798", _wide_heads, "attention_backend",
         "leave the backend out", "0.9.2"),
    Past("vllm", "0.33.0", "vllm-project/vllm pull request 35720", _early_cache, "kv_cache_dtype",
         "leave it out", "0.11.1"),
    Past("vllm", "0.33.0", "vllm-project/vllm pull request 14221, unslothai/unsloth issue 7091", _flash_cache,
         "kv_cache_dtype", "leave the backend out", "0.8.3"),
    Past("vllm", "0.33.0", f"{_VLLM} 41525", _sparse_on(7, 8), "tensor_parallel_size",  # type: ignore[arg-type]
         "use a Hopper or Blackwell GPU", "0.11.0"),
    Past("vllm", "0.20.1", f"{_VLLM} 40821", _sparse_on(CONSUMER, families=frozenset({"deepseek_v4"})),  # type: ignore[arg-type]
         "tensor_parallel_size", _NEWER, "0.20.0"),
    Past("vllm", "0.26.1", f"{_VLLM} 53134", _sparse_shares, "decode_context_parallel_size", "leave dcp out",
         "0.26.0"),
    Past("vllm", "0.18.0", f"{_VLLM} 35641, ROCm/aiter issue 1468", _aiter_heads, "tensor_parallel_size",
         "set VLLM_ROCM_USE_AITER_MLA=0, or use another tp", "0.9.0"),
    Past("sglang", "0.5.7", f"{_SGLANG} 13639", _sglang_channel, "quantization", "use a ModelOpt checkpoint",
         "0.4.6"),
    Past("sglang", "0.5.23", f"{_SGLANG}s 12887, 13471, 18875, 38291", _sglang_experts, "quantization",
         "use a BF16 or int4 checkpoint", at="run"),
    Past("sglang", "0.5.13", f"{_SGLANG} 26324", _sglang_runner, "moe_runner_backend",
         "leave moe-runner-backend out", "0.5.12", "run"),
    Past("sglang", "0.5.17", f"{_SGLANG} 29562", _sglang_sparse, "attention_backend",
         "set attention-backend triton", "0.5.13", "run"),
    Past("sglang", "0.5.23", f"{_SGLANG} 23985, sgl-project/sglang pull request 39807", _sglang_cache,
         "attention_backend", "use attention-backend flashinfer", "0.5.10", "run"),
)  # fmt: skip
"""By `launchplan.rules.past`."""
