"""What models with latent attention, or next to them in shape, set by themselves.

SGLang 0.5.23: `arg_groups/model_overrides/{deepseek_v2,deepseek_v4,kimi_k3,bailing_moe_v3,gigachat35}.py`,
`arg_groups/deepseek_v4_hook.py`.
"""

from __future__ import annotations

from launchplan.engines.sglang.settings import classes, cuda_graph, kv, moe
from launchplan.engines.sglang.settings.attention import unset
from launchplan.engines.sglang.settings.given import Given
from launchplan.engines.sglang.settings.types import SglangSettings, changed

SPARSE_PAGE = 64
V4_PAGE = 256
V4_REQUESTS = 256
V4_WINDOW_RATIO = 0.1
EXCHANGES = frozenset({"a2a", "fi_a2a"})


def deepseek(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle backend, page and context parallelism of the DeepSeek family (`deepseek_v2.py`)."""
    model = given.model
    if model.is_dsa:
        return _sparse(given, now)
    if given.sm100 and unset(now):
        now = changed(now, attention_backend="trtllm_mla")
    if now.enable_prefill_cp and model.is_mla:
        replicas = now.attn_dp_size * now.dp_size
        now = changed(
            now, attn_dp_size=replicas, dp_size=1, moe_dense_tp_size=1, moe_a2a_backend="deepep",
            ep_size=now.tp_size, attn_cp_size=_share(now.tp_size, replicas),
        )  # fmt: skip
    return now


def _share(total: int, parts: int) -> int:
    return total // parts if parts else total


def _sparse(given: Given, now: SglangSettings) -> SglangSettings:
    if now.dcp_size > 1:
        replicated = now.dcp_replicate_q_proj
        if replicated is None and now.dcp_comm_backend in EXCHANGES:
            replicated = True
        now = changed(
            now,
            dsa_prefill_backend=now.dsa_prefill_backend or "trtllm",
            dsa_decode_backend=now.dsa_decode_backend or "trtllm",
            dcp_replicate_q_proj=replicated,
        )
    backend = "dsa" if unset(now) else now.attention_backend
    pooled = given.model.number("index_kpool", 1) or 1
    now = changed(now, attention_backend=backend, page_size=SPARSE_PAGE * pooled)
    return _sparse_context(now) if now.enable_prefill_cp else now


def _sparse_context(now: SglangSettings) -> SglangSettings:
    replicas = now.attn_dp_size * now.dp_size
    explicit = now.cp_strategy == "interleave" and now.attn_cp_size > 1
    context = now.attn_cp_size if explicit else _share(now.tp_size, replicas)
    now = changed(now, attn_dp_size=replicas, dp_size=1, attn_cp_size=context)
    if now.cp_strategy == "zigzag":
        now = changed(now, moe_dense_tp_size=1, moe_a2a_backend="deepep", ep_size=now.tp_size)
    return now


def deepseek_late(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle cache format and expert kernel, after the family's other defaults (`model_hook.py:258`)."""
    if given.model.name == "LongcatFlashForCausalLMNextN":
        return now
    if given.model.is_dsa:
        if now.enable_prefill_cp and not _captures(given, now):
            now = changed(now, prefill_graph=cuda_graph.off(now.prefill_graph))
        now = kv.sparse_backends(given, kv.sparse_cache(given, now))
    elif now.enable_prefill_cp and given.model.is_mla:
        now = changed(now, prefill_graph=cuda_graph.off(now.prefill_graph))
    return moe.deepseek_format(given, now)


def _captures(given: Given, now: SglangSettings) -> bool:
    breakable = now.prefill_graph.backend == cuda_graph.BREAKABLE
    return breakable and cuda_graph.captures_context_parallel(given, now)


def deepseek_v4(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle backend, page and expert kernel of DeepSeek-V4 (`deepseek_v4.py`)."""
    ratio = now.swa_full_tokens_ratio
    if given["swa_full_tokens_ratio"] is None and given.model.model_type != "deepseek_v41":
        ratio = V4_WINDOW_RATIO
    now = changed(now, attention_backend="dsv4", swa_full_tokens_ratio=ratio, page_size=V4_PAGE)
    if now.moe_runner_backend != "auto":
        return now
    if given.model.nvfp4_experts:
        return changed(now, moe_runner_backend="flashinfer_trtllm_routed")
    packed = given.switched_on("SGLANG_DSV4_FP4_EXPERTS", default=True)
    dense = given.switched_on("SGLANG_DSV4_FP4_DEQUANT")
    runs = given.hopper or given.sm100 or given.sm120
    if now.moe_a2a_backend == "none" and packed and not dense and runs:
        return changed(now, moe_runner_backend="flashinfer_mxfp4")
    return now


def deepseek_v4_late(_given: Given, now: SglangSettings) -> SglangSettings:
    """Settle cache format, request limit and context parallelism (`deepseek_v4_hook.py:71`, `:160`)."""
    dtype = "fp8_e4m3" if now.kv_cache_dtype == "auto" else now.kv_cache_dtype
    attention = now.dsv4_attn_backend
    now = changed(
        now, kv_cache_dtype=dtype, dsv4_attn_backend="flashmla" if attention == "auto" else attention,
        max_running_requests=V4_REQUESTS if now.max_running_requests is None else now.max_running_requests,
    )  # fmt: skip
    if not now.enable_prefill_cp:
        return now
    replicas = now.attn_dp_size * now.dp_size
    return changed(
        now, attn_dp_size=replicas, dp_size=1, moe_dense_tp_size=1, attn_cp_size=_share(now.tp_size, replicas)
    )


def kimi_k3(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle backends and expert kernel of Kimi-K3 (`kimi_k3.py`)."""
    stored = given.model.architecture.quantization
    packed = stored.quant_method == "compressed-tensors" and "mxfp4" in stored.formats
    runner = now.moe_runner_backend
    if runner == "auto" and given.capability in {(10, 0), (10, 3), (10, 7)} and packed:
        runner = "flashinfer_mxfp4"
    now = _kimi_shared(now) if now.dcp_size > 1 else _kimi_alone(given, now)
    return changed(now, moe_runner_backend=runner)


def _kimi_shared(now: SglangSettings) -> SglangSettings:
    if now.speculative_algorithm == "DSPARK":
        now = changed(now, speculative_attention_mode="decode")
    decode = now.decode_backend
    if decode in {None, "cutedsl_mla"}:
        now = changed(now, prefill_attention_backend="trtllm_mla", decode_attention_backend="cutedsl_mla")
    elif decode == "aiter":
        prefill = "triton" if now.prefill_backend == "triton" else "aiter"
        now = changed(now, prefill_attention_backend=prefill, decode_attention_backend="aiter")
    if now.dcp_replicate_q_proj is None and now.dcp_comm_backend in EXCHANGES:
        now = changed(now, dcp_replicate_q_proj=True)
    return now


def _kimi_alone(given: Given, now: SglangSettings) -> SglangSettings:
    if given.capability not in {(10, 0), (10, 3)}:
        return now
    free = unset(now)
    if free:
        now = changed(now, prefill_attention_backend="trtllm_mla", decode_attention_backend="trtllm_mla")
    if now.speculative_algorithm == "DSPARK" and now.decode_backend in {"trtllm_mla", "cutedsl_mla"}:
        now = changed(now, speculative_attention_mode="decode")
    return now


def bailing_v3(given: Given, now: SglangSettings) -> SglangSettings:
    """Run mixed FP8 and MXFP4 experts (`bailing_moe_v3.py`)."""
    runs = given.hopper or given.sm100 or given.sm120
    mixed = given.model.method == "fp8" and given.model.fp4_experts
    if now.moe_runner_backend == "auto" and now.moe_a2a_backend == "none" and runs and mixed:
        return changed(now, moe_runner_backend="flashinfer_mxfp4")
    return now


def gigachat(_given: Given, now: SglangSettings) -> SglangSettings:
    """Keep shared experts apart, draft with several layers (`gigachat35.py`)."""
    several = now.enable_multi_layer_eagle or now.speculative_algorithm == "EAGLE"
    return changed(now, disable_shared_experts_fusion=True, enable_multi_layer_eagle=several)


LATE = {
    **dict.fromkeys(classes.DEEPSEEK, deepseek_late),
    "DeepseekV4ForCausalLM": deepseek_v4_late,
}
"""Steps after a class's own defaults, by class (`model_hook.py:239`)."""
