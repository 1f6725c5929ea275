"""What Qwen, Nemotron-H, MiniMax and Granite set by themselves, and steps that all models share.

SGLang 0.5.23: `arg_groups/model_overrides/`.
"""

from __future__ import annotations

from launchplan.engines.sglang.settings import mamba, memory
from launchplan.engines.sglang.settings.attention import default_backend, unset
from launchplan.engines.sglang.settings.given import Given, Step
from launchplan.engines.sglang.settings.types import SglangSettings, changed

MODELOPT = frozenset({"modelopt", "modelopt_fp8", "modelopt_fp4", "modelopt_mixed"})
MADE_WHILE_LOADING = frozenset({"nvfp4_online", "quark_mxfp4"})
DRAFTS_ON_TRTLLM = frozenset({"EAGLE", "NEXTN", "DSPARK"})
M3_PAGE = 128
PACKED = "minimax_m3_nvfp4"
"""What SGLang calls MXFP8 projections with packed NVFP4 experts (`minimax_m3.py:18`)."""


def set_attention(now: SglangSettings, backend: str | None) -> SglangSettings:
    """Set the attention backend, if there is one to set."""
    return now if backend is None else changed(now, attention_backend=backend)


def set_runner(now: SglangSettings, backend: str) -> SglangSettings:
    """Set the expert kernel unless one was chosen."""
    return changed(now, moe_runner_backend=backend) if now.moe_runner_backend == "auto" else now


def on_sm100(backend: str) -> Step:
    """Make a step that sets a backend on compute capability 10.x."""

    def choose(given: Given, now: SglangSettings) -> SglangSettings:
        return set_attention(now, backend) if given.sm100 and now.attention_backend is None else now

    return choose


def granite(given: Given, now: SglangSettings) -> SglangSettings:
    """Read hybrid layers with FlashInfer (`granitemoehybrid.py`)."""
    return on_sm100("flashinfer")(given, now) if mamba.keeps_state(given) else now


def method_of(given: Given, now: SglangSettings) -> str | None:
    """Give `ModelConfig.quantization`: the argument, or what the checkpoint says.

    A checkpoint of ModelOpt wins over the argument, but for formats that are made while loading
    (`layers/quantization/base_config.py:224`).
    """
    stored = given.model.method
    if stored in MODELOPT and now.quantization not in MADE_WHILE_LOADING:
        return stored
    return now.quantization or stored


def declared(given: Given, now: SglangSettings) -> SglangSettings:
    """Take the checkpoint's method as the argument, unless `--quantization unquant` says no."""
    if now.quantization is None and given["quantization"] != "unquant":
        return changed(now, quantization=given.model.config_method)
    return now


def qwen_moe(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle format and expert kernel of Qwen's experts (`qwen3_moe.py`)."""
    if not given.sm100:
        return now
    now = declared(given, now)
    if now.quantization == "modelopt_mixed" and given.model.architecture.quantization.w4a16_experts:
        return set_runner(now, "marlin")
    known = now.quantization in {None, "fp8", "modelopt_fp4", "modelopt_mixed"}
    return set_runner(now, "flashinfer_trtllm") if known and now.moe_a2a_backend == "none" else now


def _qwen_hybrid(given: Given, now: SglangSettings) -> SglangSettings:
    if not given.sm100 or now.attention_backend is not None:
        return now
    single = not mamba.extra_buffer(now) and not now.disable_radix_cache and now.speculative_algorithm is None
    paged = default_backend(given, now) == "trtllm_mha" and not single
    return changed(now, attention_backend="trtllm_mha" if paged else "triton", page_size=64 if paged else 1)


def qwen_hybrid_moe(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle both: backend and expert kernel."""
    return qwen_moe(given, _qwen_hybrid(given, now))


def mobius(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle Intern-S2-Mobius, a Qwen hybrid (`interns2_mobius.py`)."""
    return set_runner(_qwen_hybrid(given, now), "triton_kernel")


def qwen4(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle Qwen4-Exp (`qwen4_exp.py`)."""
    if now.moe_dense_tp_size == 1 and given.model.architecture.is_moe:
        now = changed(now, moe_dense_tp_size=None)
    return qwen_moe(given, _qwen_hybrid(given, now))


def qwen_vl(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle Qwen3-VL (`qwen3_vl.py`)."""
    if given.model.name == "Qwen3VLMoeForConditionalGeneration":
        now = qwen_moe(given, now)
    free = now.attention_backend is None and now.decode_attention_backend is None
    return (
        changed(now, decode_attention_backend="flashinfer")
        if free and memory.large_hopper_qwen(given)
        else now
    )


def nemotron(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle format, expert kernel and backend of Nemotron-H (`nemotron_h.py`)."""
    method = method_of(given, now)
    asked = now
    if method in MODELOPT:
        now = changed(now, quantization=method)
    now = _nemotron_runner(given, now, method)
    return _nemotron_attention(given, now) if given.blackwell and unset(asked) else now


def _nemotron_runner(given: Given, now: SglangSettings, method: str | None) -> SglangSettings:
    remapped = (
        given["enable_eplb"]
        or (given["ep_num_redundant_experts"] or 0) > 0
        or given["init_expert_location"] != "trivial"
    )
    alone = now.moe_a2a_backend == "none"
    if method == "modelopt_mixed" and given.model.architecture.quantization.w4a16_experts:
        return set_runner(now, "marlin")
    if remapped and given.sm100 and alone and now.moe_runner_backend == "auto":
        return set_runner(now, "flashinfer_trtllm_routed")
    if method is not None and method not in MODELOPT:
        return now
    if given.sm100 and alone:
        return set_runner(now, "flashinfer_trtllm")
    old = (8, 0) <= given.capability < (10, 0)
    return set_runner(
        now, "marlin" if method in {"modelopt_fp4", "modelopt_mixed"} and old else "flashinfer_cutlass"
    )


def _nemotron_attention(given: Given, now: SglangSettings) -> SglangSettings:
    algorithm = (now.speculative_algorithm or "").upper()
    if not algorithm:
        return set_attention(now, "trtllm_mha") if given.sm100 else now
    draft = now.speculative_draft_attention_backend
    if given.sm100 and now.speculative_eagle_topk in {None, 1}:
        strategy = now.mamba_radix_cache_strategy
        if draft is None and algorithm in DRAFTS_ON_TRTLLM:
            draft = "trtllm_mha"
        return changed(
            now, attention_backend="trtllm_mha", page_size=64 if now.page_size is None else now.page_size,
            mamba_radix_cache_strategy="extra_buffer" if strategy == "auto" else strategy,
            speculative_draft_attention_backend=draft,
        )  # fmt: skip
    if draft is None and algorithm in DRAFTS_ON_TRTLLM | {"DFLASH"}:
        draft = "flashinfer"
    return changed(now, attention_backend="triton", speculative_draft_attention_backend=draft)


def minimax_m2(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle the expert kernel of MiniMax-M2 (`minimax_m2.py`)."""
    packed = method_of(given, now) == "modelopt_fp4"
    return set_runner(now, "flashinfer_trtllm_routed") if given.sm100 and packed else now


def _packed(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle MiniMax-M3.1's packed NVFP4 experts (`minimax_m3.py:62`)."""
    free = unset(now)
    if given.blackwell and now.speculative_algorithm == "DSPARK":
        draft = now.speculative_draft_attention_backend or "trtllm_mha"
        now = changed(now, speculative_draft_attention_backend=draft)
    now = changed(now, page_size=M3_PAGE)
    if not given.blackwell:
        return set_runner(set_attention(now, "fa3" if free else None), "marlin")
    if now.moe_runner_backend != "flashinfer_trtllm_routed":
        now = set_runner(changed(now, moe_a2a_backend="megamoe"), "deep_gemm")
    if now.kv_cache_dtype == "auto":
        now = changed(now, kv_cache_dtype="fp8_e4m3")
    return set_attention(now, "trtllm_mha" if free else None)


def minimax_m3(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle format, page and kernels of MiniMax-M3 (`minimax_m3.py`)."""
    if given.model.packed_experts and now.quantization is None and given["quantization"] != "unquant":
        return _packed(given, changed(now, quantization=PACKED))
    now = declared(given, now)
    free = unset(now)
    if given.sm100:
        if free:
            dense = given.switched_on("SGLANG_DISABLE_M3_FP8_ATTN_GEMM")
            fp8 = now.kv_cache_dtype == "fp8_e4m3" and not dense
            now = set_attention(now, "trtllm_mha" if fp8 else "fa4")
        if now.page_size is None and now.attention_backend in {"fa4", "trtllm_mha"}:
            now = changed(now, page_size=M3_PAGE)
        by_format = {"mxfp8": "deep_gemm", "modelopt_mixed": "flashinfer_trtllm_routed"}
        now = set_runner(now, by_format.get(now.quantization or "", "auto"))
    elif given.hopper:
        now = set_attention(now, "fa3") if free else now
        if now.page_size is None and now.attention_backend == "fa3":
            now = changed(now, page_size=M3_PAGE)
    if now.quantization is None and now.moe_runner_backend in {"auto", "deep_gemm"}:
        now = changed(now, moe_runner_backend="triton")
    return now
