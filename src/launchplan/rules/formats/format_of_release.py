"""A number format that an older release refused.

## Why

Which formats run on which GPU changed with nearly every release: FP8 weights on Ampere came with Marlin,
NVFP4 experts on consumer Blackwell and the NVFP4 KV cache later, and a BF16 checkpoint on Turing is read
as FP16 only since 0.8.5. Who runs an old release, meets the refusals.

## Fix

The format that the rule names, or a newer release.

## References

- vllm-project/vllm issues 946, 1157, 1282, 1816, 2419, 4327, 13640, 14040, 14221, 17604, 19605, 21648,
  22331, 24921, 25022, 25039, 28589, 30855, 32109, 33416, 35065, 35641, 37972, 40153, 40677, 40821, 41525,
  42587, 49949, 53134, pull requests 17265 (BF16 read as FP16), 30210, 35720, 43562, 43910, 44763 and 48173
  (slices of FP8 experts), vllm-project/recipes issue 565, zai-org/GLM-4.5 issues 23 and 94, zai-org/GLM-V
  issue 178, ROCm/aiter issue 1468, unslothai/unsloth issue 7091, sgl-project/sglang issues 6354, 6370,
  12887, 13471, 13639, 18875, 23985, 26324, 29562, 38291, pull request 39807
- Bounds read in the source of every release: slices of FP8 experts, vLLM `quantization/fp8.py:188`
  (0.6.6) to `:565` (0.28.0; 0.29.0 refines their scales); AWQ groups, `quantization/awq.py:200` (0.23.0,
  the last); packed integers, `compressed_tensors_wNa16.py:45` (0.5.3) to `:75` (0.11.2); FlashInfer's
  heads, `v1/attention/backends/flashinfer.py:42` (0.9.2) to `:404` (0.21.0); AITER's heads,
  `rocm_aiter_mla.py:151` (0.9.0) to `:215` (0.17.1); SGLang's `compressed_tensors_moe.py:93` (0.5.6, the
  last without NVFP4 experts)
- What kernels in binaries do (FP8, NVFP4 and sparse attention on consumer Blackwell, Marlin's tiles)
  source can't show: those releases are the reports'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from launchplan.architecture import Architecture
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.layers import kv_cache_dtype
from launchplan.rules import past_kernels
from launchplan.rules.past import Found, Past, capability, classes, refusals, size, unread
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sizes import sizes_of
from launchplan.rules.splits import has_kv_heads

AMPERE, ADA, HOPPER = (8, 0), (8, 9), 9
CONSUMER_BLACKWELL = 12
SPARSE = "deepseek_sparse"
BOTH_HALVES = frozenset({"QWenLMHeadModel"})
"""Classes whose configuration states gate and up projection as one width."""
PACKED = frozenset({"int4", "w4a16"})


def _bf16_checkpoint(view: EngineView) -> Found:
    has, model, given = capability(view), view.architecture, view.arguments["dtype"]
    if has is None or has >= AMPERE or model is None or given not in {None, "auto"}:
        return None
    return _needs("bfloat16 weights", AMPERE, has) if model.dtype == "bfloat16" else None


def _fp8_weights(view: EngineView) -> Found:
    has, model = capability(view), view.architecture
    fp8 = "fp8" in {view.arguments["quantization"], model.quantization.method if model else None}
    return _needs("fp8", ADA, has) if has is not None and has < ADA and fp8 else None


def _nvfp4_experts(view: EngineView) -> Found:
    has, model = capability(view), view.architecture
    if has is None or has[0] != CONSUMER_BLACKWELL or model is None or model.moe is None:
        return None
    return f"no kernel for NVFP4 experts on {_text(has)}" if "nvfp4" in model.quantization.formats else None


def _first_v1_cache(view: EngineView) -> Found:
    on = view.env_on("VLLM_USE_V1") and kv_cache_dtype(view).startswith("fp8")
    return (
        "the V1 engine of this release has no fp8 KV cache on this GPU"
        if on and not _is_hopper(view)
        else None
    )


def _sparse_cache(view: EngineView) -> Found:
    model, name = view.architecture, kv_cache_dtype(view)
    if model is None or model.family != SPARSE or name != "fp8_e4m3" or not _is_hopper(view):
        return None
    return "kv_cache_dtype fp8_e4m3 is not read by sparse attention on Hopper, which has its own fp8_ds_mla"


def _nvfp4_cache(view: EngineView) -> Found:
    has = capability(view)
    consumer = has is not None and has[0] == CONSUMER_BLACKWELL
    return (
        "the nvfp4 KV cache has kernels for compute capability 10.x only"
        if consumer and _nvfp4(view)
        else None
    )


def _nvfp4(view: EngineView) -> bool:
    return "nvfp4" in {view.arguments["kv_cache_dtype"], unread(view, "--kv-cache-dtype")}


def _online_blocks(view: EngineView) -> Found:
    if view.arguments["quantization"] != "fp8_per_block":
        return None
    return _slices(view, 128)


def _expert_blocks(view: EngineView) -> Found:
    stored = view.architecture.quantization if view.architecture else None
    if stored is None or stored.method != "fp8" or not stored.weight_block_size:
        return None
    return _slices(view, stored.weight_block_size[0])


def _slices(view: EngineView, block: int) -> Found:
    moe, parts = view.architecture.moe if view.architecture else None, sizes_of(view).experts
    width = moe.intermediate_size if moe else None
    if width is None or not parts or width % parts or width // parts % block == 0:
        return None
    return f"experts {width} wide / {parts} ranks = {width // parts}, no multiple of the FP8 block {block}"


def _dense_groups(method: str) -> Callable[[EngineView], Found]:
    def finds(view: EngineView) -> Found:
        model, tp = view.architecture, size(view, "tensor_parallel_size")
        stored = model.quantization.quant_method if model else None
        width, group = _dense_width(model), _group(view)
        if stored != method or width is None:
            return None
        if classes(view) & BOTH_HALVES:
            width //= 2
        if group < 1 or width % tp or width // tp % group == 0:
            return None
        kind = method.upper()
        return f"dense layers {width} wide / tp {tp} = {width // tp}, no multiple of the {kind} group {group}"

    return finds


def _dense_width(model: Architecture | None) -> int | None:
    """Give the width of the dense layers, also of a model that nobody knows; None where there are experts."""
    if model is None or model.dense_intermediate_size:
        return model.dense_intermediate_size if model else None
    stated = model.dims.get("intermediate_size")
    return stated if isinstance(stated, int) and model.moe is None and not model.known else None


def _expert_groups(view: EngineView) -> Found:
    model, parts = view.architecture, sizes_of(view).experts
    method = model.quantization.quant_method if model else None
    width, group = model.moe.intermediate_size if model and model.moe else None, _group(view)
    if method not in {"awq", "gptq"} or width is None or not parts or group < 1 or width % parts:
        return None
    if width // parts % group == 0:
        return None
    return f"experts {width} wide / {parts} ranks = {width // parts}, no multiple of the group {group}"


def _group(view: EngineView) -> int:
    return (view.architecture.quantization.group_size or 0) if view.architecture else 0


def _early_awq(view: EngineView) -> Found:
    has, model = capability(view), view.architecture
    awq = "awq" in {view.arguments["quantization"], model.quantization.quant_method if model else None}
    return _needs("awq", AMPERE, has) if awq and has is not None and has < AMPERE else None


def _packed_integers(view: EngineView) -> Found:
    has, stored = capability(view), view.architecture.quantization if view.architecture else None
    if has is None or has >= AMPERE or stored is None or stored.quant_method != "compressed-tensors":
        return None
    return _needs("packed int4", AMPERE, has) if {*stored.formats} & PACKED else None


def _draft_pages(view: EngineView) -> Found:
    on = view.arguments["speculative_algorithm"] and classes(view) and size(view, "page_size") > 1
    has = capability(view)
    if not on or has is None or has[0] != 10 or not (view.architecture and view.architecture.is_mla):
        return None
    return f"page-size {view.arguments['page_size']}: the draft's latent attention takes 1 in this release"


def _own_layout(view: EngineView) -> Found:
    """Two formats that the parser takes for every model and GPU, and one attention or vendor has."""
    model, name = view.architecture, kv_cache_dtype(view)
    if name == "fp8_inc" and capability(view) is not None:
        return "kv_cache_dtype fp8_inc is for Intel's accelerators"
    if name == "fp8_ds_mla" and model is not None and has_kv_heads(model):
        return "kv_cache_dtype fp8_ds_mla is for latent attention"
    return None


def _flashmla_cache(view: EngineView) -> Found:
    name = str(view.arguments["kv_cache_dtype"])
    asked = view.arguments["attention_backend"] == "flashmla" and name.startswith("fp8")
    return f"attention-backend flashmla has no {name} KV cache in this release" if asked else None


def _is_hopper(view: EngineView) -> bool:
    has = capability(view)
    return has is not None and has[0] == HOPPER


def _needs(what: str, least: tuple[int, int], has: tuple[int, int]) -> str:
    return f"{what} needs compute capability {_text(least)} in this release; the GPU has {_text(has)}"


def _text(value: tuple[int, int]) -> str:
    return f"{value[0]}.{value[1]}"


_PADDED = "use a smaller tp, or a checkpoint with padded layers"
_EXPERTS = "use fewer ranks, or ep, which keeps experts whole"
TABLE = (
    *past_kernels.TABLE,
    Past("vllm", "0.8.5", "vllm-project/vllm issues 946, 1157", _bf16_checkpoint, "dtype", "use dtype half"),
    Past("vllm", "0.5.1", "vllm-project/vllm issue 4327", _fp8_weights, "quantization", "leave it out"),
    Past("vllm", "0.16.0", "vllm-project/vllm issues 24921, 30855, 33416, 35065", _nvfp4_experts,
         "quantization", "use a newer release", "0.10.2"),
    Past("vllm", "0.8.3", "vllm-project/vllm issue 14221", _first_v1_cache, "kv_cache_dtype", "leave it out"),
    Past("vllm", "0.24.0", "vllm-project/recipes issue 565", _sparse_cache, "kv_cache_dtype",
         "use fp8_ds_mla", "0.11.2"),
    Past("vllm", "0.33.0", "vllm-project/vllm issue 42587", _own_layout, "kv_cache_dtype", "use fp8",
         "0.11.1"),
    Past("vllm", "0.26.0", "vllm-project/vllm pull request 43562", _nvfp4_cache, "kv_cache_dtype", "use fp8",
         "0.22.0"),
    Past("vllm", "0.24.0", "vllm-project/vllm pull request 44763", _online_blocks, "quantization", _EXPERTS,
         at="run"),
    Past("vllm", "0.29.0", "vllm-project/vllm pull request 48173; quantization/fp8.py:562 (0.25.0)",
         _expert_blocks, "tensor_parallel_size", _EXPERTS),
    Past("vllm", "0.24.0", "vllm-project/vllm issue 13640; quantization/awq.py:200 (0.23.0)",
         _dense_groups("awq"), "tensor_parallel_size", _PADDED),
    Past("vllm", "0.9.0", "vllm-project/vllm issue 13640", _dense_groups("gptq"), "tensor_parallel_size",
         _PADDED),
    Past("vllm", "0.10.0", "vllm-project/vllm issue 17604", _expert_groups, "tensor_parallel_size", _EXPERTS,
         "0.7.0", "run"),
    Past("vllm", "0.13.0", "vllm-project/vllm pull request 30210", _expert_groups, "tensor_parallel_size",
         _EXPERTS, "0.12.0"),
    Past("vllm", "0.2.1", "vllm-project/vllm issue 1282", _early_awq, "quantization", "use a newer release"),
    Past("vllm", "0.12.0", "vllm-project/vllm issues 14040, 25022", _packed_integers, "quantization",
         "use an AWQ or GPTQ checkpoint"),
    Past("sglang", "0.4.7", "sgl-project/sglang issue 6354", _flashmla_cache, "kv_cache_dtype",
         "leave kv-cache-dtype out"),
    Past("sglang", "0.5.0", "sgl-project/sglang issue 6370", _expert_blocks, "tp_size", _EXPERTS),
    Past("sglang", "0.5.2", "sgl-project/sglang issue 9572", _draft_pages, "page_size", "leave page-size out",
         "0.5.0"),
)  # fmt: skip


@rule("QNT403", "format-of-release", severity=ERROR, at="worker")
def check(view: EngineView) -> Iterator[Violation]:
    """Look the formats up among what the release is known to refuse."""
    yield from refusals(view, TABLE)
