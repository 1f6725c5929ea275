"""A number format that an older release refused.

## Why

Which formats run on which GPU changed with nearly every release: FP8 weights on Ampere came with Marlin,
NVFP4 experts on consumer Blackwell and the NVFP4 KV cache later, and a BF16 checkpoint on Turing is read
as FP16 only since 0.8.5. Who runs an old release, meets the refusals.

## Fix

The format that the rule names, or a newer release.

## References

- vllm-project/vllm issues 946, 1157, 4327, 13640, 14221, 33416, 35065, pull requests 17265 (BF16 read as
  FP16), 43562, 44763 and 48173 (slices of FP8 experts), vllm-project/recipes issue 565. The releases are
  those of the reports
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.engines.vllm.layers import kv_cache_dtype
from launchplan.rules.past import Found, Past, capability, classes, refusals, size, unread
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sizes import sizes_of

AMPERE, ADA, HOPPER = (8, 0), (8, 9), 9
CONSUMER_BLACKWELL = 12
SPARSE = "deepseek_sparse"


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


def _awq_groups(view: EngineView) -> Found:
    model, tp = view.architecture, size(view, "tensor_parallel_size")
    if model is None or model.quantization.quant_method != "awq" or not model.dense_intermediate_size:
        return None
    width, group = model.dense_intermediate_size, model.quantization.group_size or 1
    if width % tp or width // tp % group == 0:
        return None
    return f"dense layers {width} wide / tp {tp} = {width // tp}, no multiple of the AWQ group {group}"


def _draft_pages(view: EngineView) -> Found:
    on = view.arguments["speculative_algorithm"] and classes(view) and size(view, "page_size") > 1
    has = capability(view)
    if not on or has is None or has[0] != 10 or not (view.architecture and view.architecture.is_mla):
        return None
    return f"page-size {view.arguments['page_size']}: the draft's latent attention takes 1 in this release"


def _is_hopper(view: EngineView) -> bool:
    has = capability(view)
    return has is not None and has[0] == HOPPER


def _needs(what: str, least: tuple[int, int], has: tuple[int, int]) -> str:
    return f"{what} needs compute capability {_text(least)} in this release; the GPU has {_text(has)}"


def _text(value: tuple[int, int]) -> str:
    return f"{value[0]}.{value[1]}"


_EXPERTS = "use fewer ranks, or ep, which keeps experts whole"
TABLE = (
    Past("vllm", "0.8.5", "vllm-project/vllm issues 946, 1157", _bf16_checkpoint, "dtype", "use dtype half"),
    Past("vllm", "0.5.1", "vllm-project/vllm issue 4327", _fp8_weights, "quantization", "leave it out"),
    Past("vllm", "0.16.0", "vllm-project/vllm issues 33416, 35065", _nvfp4_experts, "quantization",
         "use a newer release", "0.11.2"),
    Past("vllm", "0.8.3", "vllm-project/vllm issue 14221", _first_v1_cache, "kv_cache_dtype", "leave it out"),
    Past("vllm", "0.24.0", "vllm-project/recipes issue 565", _sparse_cache, "kv_cache_dtype",
         "use fp8_ds_mla", "0.11.2"),
    Past("vllm", "0.26.0", "vllm-project/vllm pull request 43562", _nvfp4_cache, "kv_cache_dtype", "use fp8",
         "0.22.0"),
    Past("vllm", "0.24.0", "vllm-project/vllm pull request 44763", _online_blocks, "quantization", _EXPERTS,
         at="run"),
    Past("vllm", "0.24.1", "vllm-project/vllm pull request 48173", _expert_blocks, "tensor_parallel_size",
         _EXPERTS),
    Past("vllm", "0.9.0", "vllm-project/vllm issue 13640", _awq_groups, "tensor_parallel_size",
         "use a smaller tp, or a checkpoint with padded layers"),
    Past("sglang", "0.5.2", "sgl-project/sglang issue 9572", _draft_pages, "page_size", "leave page-size out",
         "0.5.0"),
)  # fmt: skip


@rule("QNT403", "format-of-release", severity=ERROR, at="worker")
def check(view: EngineView) -> Iterator[Violation]:
    """Look the formats up among what the release is known to refuse."""
    yield from refusals(view, TABLE)
