"""Expert kernels and all-to-all backends (`arg_groups/moe_hook.py`, `arg_groups/overrides.py`, 0.5.23)."""

from __future__ import annotations

from launchplan.engines.sglang.settings import classes, cuda_graph
from launchplan.engines.sglang.settings.given import Flags, Given
from launchplan.engines.sglang.settings.types import SglangSettings, changed

MXFP8_RUNNERS = frozenset(
    {"cutlass", "flashinfer_trtllm", "flashinfer_trtllm_routed", "deep_gemm", "flashinfer_megamoe"}
)
"""`server_args.py:MXFP8_MOE_RUNNER_BACKEND_CHOICES`."""
SPANNING = frozenset({
    "megamoe", "deepep", "deepep_v2", "mooncake", "nixl", "ascend_fuseep", "flashinfer",
    "flashinfer_megamoe", "mori", "pplx",
})  # fmt: skip
"""All-to-all backends with which expert parallelism spans the whole of tp (`overrides.py:1578`)."""
UNFUSED_RUNNERS = frozenset({
    "lora_triton", "lora_cutedsl", "lora_marlin", "flashinfer_cutedsl", "flashinfer_trtllm",
    "experimental_sgl_trtllm", "flashinfer_trtllm_routed",
})  # fmt: skip
"""Runners that keep shared experts apart (`overrides.py:1529`)."""
UNFUSED_A2A = frozenset({"flashinfer", "flashinfer_megamoe", "deepep_v2"})
W4A16 = "SGLANG_FLASHINFER_CUTEDSL_NVFP4_W4A16"


def mega_alias(_given: Flags, now: SglangSettings) -> SglangSettings:
    """Read the runner `megamoe` as the all-to-all backend of that name (`mega_moe_hook.py:259`)."""
    if now.moe_runner_backend != "megamoe":
        return now
    return changed(now, moe_runner_backend="auto", moe_a2a_backend="megamoe")


def runner(given: Given, now: SglangSettings) -> SglangSettings:
    """Choose the expert kernel by the weights' format (`overrides.py:1449`, `:1529`)."""
    now = changed(now, moe_runner_backend=_runner(given, now))
    if now.moe_runner_backend in UNFUSED_RUNNERS:
        now = changed(now, disable_shared_experts_fusion=True)
    return now


def _runner(given: Given, now: SglangSettings) -> str:
    chosen, stored = now.moe_runner_backend, now.quantization
    mega = now.moe_a2a_backend == "flashinfer_megamoe"
    if stored == "nvfp4_online" and chosen == "auto":
        return "flashinfer_megamoe" if mega and given.switched_on(W4A16) else "flashinfer_trtllm"
    if stored == "mxfp8" and chosen not in MXFP8_RUNNERS:
        return "flashinfer_megamoe" if mega else "flashinfer_trtllm"
    if stored == "modelopt_fp4" and chosen == "auto" and given.major in {11, 12}:
        return "flashinfer_cutlass"
    return chosen


def all_to_all(given: Flags, now: SglangSettings) -> SglangSettings:
    """Settle the all-to-all backend and what it entails (`moe_hook.py:284`)."""
    if given["enable_waterfill"] and now.moe_a2a_backend not in {"deepep", "megamoe"}:
        now = changed(now, moe_a2a_backend="deepep")
    if now.moe_a2a_backend in SPANNING:
        now = changed(now, ep_size=now.tp_size)
    if now.moe_a2a_backend in {"deepep", "megamoe"} and given["enable_waterfill"]:
        now = changed(now, disable_shared_experts_fusion=False)
    elif now.moe_a2a_backend in UNFUSED_A2A:
        now = changed(now, disable_shared_experts_fusion=True)
    settle = _BY_BACKEND.get(now.moe_a2a_backend)
    return settle(given, now) if settle else now


def _deepep(_given: Flags, now: SglangSettings) -> SglangSettings:
    if now.moe_runner_backend == "flashinfer_cutedsl" and now.deepep_mode == "auto":
        now = changed(now, deepep_mode="low_latency")
    return cuda_graph.without_graphs(now) if now.deepep_mode == "normal" else now


def _deepep_v2(_given: Flags, now: SglangSettings) -> SglangSettings:
    chosen = "deep_gemm" if now.moe_runner_backend == "auto" else now.moe_runner_backend
    return changed(now, moe_runner_backend=chosen, prefill_graph=cuda_graph.off(now.prefill_graph))


def _flashinfer(given: Flags, now: SglangSettings) -> SglangSettings:
    if given["flashinfer_a2a_dispatch_type"] and now.moe_runner_backend == "flashinfer_trtllm":
        return changed(now, moe_runner_backend="flashinfer_trtllm_routed")
    return now


def _flashinfer_mega(_given: Flags, now: SglangSettings) -> SglangSettings:
    chosen = "flashinfer_megamoe" if now.moe_runner_backend == "auto" else now.moe_runner_backend
    return changed(now, moe_runner_backend=chosen)


def _mori(_given: Flags, now: SglangSettings) -> SglangSettings:
    return changed(now, deepep_mode="normal") if now.deepep_mode == "auto" else now


def _pplx(_given: Flags, now: SglangSettings) -> SglangSettings:
    mode = "low_latency" if now.deepep_mode == "auto" else now.deepep_mode
    chosen = "deep_gemm" if now.moe_runner_backend == "auto" else now.moe_runner_backend
    return changed(now, deepep_mode=mode, moe_runner_backend=chosen)


def _ascend(_given: Flags, now: SglangSettings) -> SglangSettings:
    return changed(now, moe_a2a_backend="none")


_BY_BACKEND = {
    "deepep": _deepep, "deepep_v2": _deepep_v2, "flashinfer": _flashinfer, "mori": _mori, "pplx": _pplx,
    "flashinfer_megamoe": _flashinfer_mega, "ascend_tp": _ascend,
}  # fmt: skip


def deepseek_format(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle format and expert kernel of the DeepSeek family on SM100 (`overrides.py:764`)."""
    model = given.model
    if not given.sm100:
        return now
    stored = model.architecture.quantization
    groups = (
        stored.quant_method == "compressed-tensors" and "int4" in stored.formats and stored.group_size == 32
    )
    quantization = now.quantization
    if quantization is None and given["quantization"] != "unquant":
        quantization = model.config_method
        now = changed(now, quantization=quantization)
    plain = quantization in {None, "fp8", "modelopt_fp8", "modelopt_fp4", "modelopt_mixed"}
    if (
        now.moe_a2a_backend == "none"
        and now.moe_runner_backend == "auto"
        and not model.name.startswith("LongcatFlash")
        and (plain or groups)
    ):
        now = changed(now, moe_runner_backend="flashinfer_trtllm")
    return now


def allreduce_fusion(given: Given, now: SglangSettings) -> SglangSettings:
    """Fuse the all-reduce where that is known to work (`overrides.py:955`, `:1006`)."""
    if given["enforce_disable_flashinfer_allreduce_fusion"] or now.enable_deterministic_inference:
        return changed(now, flashinfer_allreduce_fusion_backend=None)
    name, mimo = given.model.name, given.model.name in classes.MIMO_V2
    fits = given.sm100 and now.attn_cp_size == 1 and not given["encoder_only"] and not given["enable_pdmux"]
    sizes = now.tp_size in {2, 4, 8, 16}
    if mimo and not (fits and sizes and given.model.architecture.dtype == "bfloat16"):
        return now
    if (
        now.flashinfer_allreduce_fusion_backend is None
        and (mimo or name in classes.FUSED_ALLREDUCE)
        and (given.hopper or given.sm100)
        and now.tp_size > 1
        and not now.attn_dp_enabled
        and (now.nnodes == 1 or given.sm100)
        and now.moe_a2a_backend == "none"
    ):
        return changed(now, flashinfer_allreduce_fusion_backend="cutedsl" if mimo else "auto")
    return now
