"""Attention backends, and the page sizes that they need.

SGLang 0.5.23: `arg_groups/attention_hook.py`, `arg_groups/overrides.py`, `arg_groups/model_override_base.py`.
"""

from __future__ import annotations

from launchplan.engines.sglang.settings import classes, cuda_graph
from launchplan.engines.sglang.settings.given import Flags, Given
from launchplan.engines.sglang.settings.types import SglangSettings, changed

ALIASES = {"compressed": "dsv4", "tokenspeed_mla": "cutedsl_mla"}
"""Old names of backends (`serving_hook.py:302`)."""
DETERMINISTIC = ("ascend", "fa3", "fa4", "flashinfer", "intel_xpu", "triton")
RADIX_DETERMINISTIC = frozenset({"ascend", "fa3", "fa4", "triton"})
"""Backends that keep the radix cache in deterministic mode (`choices.py:249`)."""
EAGER = frozenset({"torch_native", "flex_attention"})
LATENT_PAGES = (32, 64)
TRTLLM_MHA_PAGES = (16, 32, 64, 128)
LONG_CONTEXT, AITER_SHARE = 8192, 0.85


def renamed(given: Flags, now: SglangSettings) -> SglangSettings:
    """Replace deprecated backend names (`serving_hook.py:284`)."""
    was_fp8_only = "tokenspeed_mla" in (now.attention_backend, now.decode_attention_backend)
    prefill = ALIASES.get(now.prefill_attention_backend or "", now.prefill_attention_backend)
    if now.prefill_attention_backend == "tokenspeed_mla":
        prefill = "trtllm_mla"
    decode, draft = now.decode_attention_backend, now.speculative_draft_attention_backend
    verifies = was_fp8_only and now.speculative_algorithm is not None
    fused = now.flashinfer_allreduce_fusion_backend
    if given["enable_flashinfer_allreduce_fusion"] and fused is None:
        fused = "auto"
    return changed(
        now,
        attention_backend=ALIASES.get(now.attention_backend or "", now.attention_backend),
        decode_attention_backend=ALIASES.get(decode or "", decode),
        prefill_attention_backend=prefill,
        speculative_draft_attention_backend=ALIASES.get(draft or "", draft),
        kv_cache_dtype="fp8_e4m3" if was_fp8_only else now.kv_cache_dtype,
        speculative_attention_mode="decode" if verifies else now.speculative_attention_mode,
        flashinfer_allreduce_fusion_backend=fused,
        enable_flashinfer_allreduce_fusion=False,
    )


def unset(now: SglangSettings) -> bool:
    """Tell whether nobody chose any attention backend (`model_override_base.py:163`)."""
    return not any((now.attention_backend, now.prefill_attention_backend, now.decode_attention_backend))


def linear_drafts(now: SglangSettings) -> bool:
    """Tell whether drafts are chains, as far as is known by now (`utils/common.py:3960`)."""
    if now.speculative_eagle_topk is None:
        return True
    return now.speculative_eagle_topk == 1 and now.page_size in {1, None}


def default_backend(given: Given, now: SglangSettings) -> str:
    """Choose the backend when nobody does (`model_override_base.py:278`)."""
    model = given.model
    if model.name == "WhisperForConditionalGeneration":
        return "flashinfer"
    if model.is_mla:
        return "fa3" if given.hopper else "flashinfer" if given.sm100 else "triton"
    if given.hopper and linear_drafts(now):
        return "fa3"
    algorithm = now.speculative_algorithm
    known = algorithm is None or now.speculative_eagle_topk is not None or algorithm.upper() == "DFLASH"
    if given.sm100 and linear_drafts(now) and known:
        return "fa4" if model.has_asymmetric_kv else "trtllm_mha"
    return "triton" if model.has_attention_sinks else "flashinfer"


def sampling(_given: Given, now: SglangSettings) -> SglangSettings:
    """Sample with FlashInfer unless told otherwise (`overrides.py:1019`)."""
    return changed(now, sampling_backend=now.sampling_backend or "flashinfer")


def deterministic(given: Given, now: SglangSettings) -> SglangSettings:
    """Apply deterministic inference (`attention_hook.py:580`, `overrides.py:1093`)."""
    if given["rl_on_policy_target"] is not None:
        now = changed(now, enable_deterministic_inference=True)
    if not now.enable_deterministic_inference:
        return now
    backend = now.attention_backend
    if backend is None:
        latent = given.model.name in classes.DETERMINISTIC_DEEPSEEK
        recent = given.sm100 or given.sm120
        backend = ("triton" if latent else "flashinfer") if recent else "fa3"
    sampled = now.sampling_backend if now.sampling_backend == "ascend" else "pytorch"
    return changed(
        now, flashinfer_allreduce_fusion_backend=None, sampling_backend=sampled, attention_backend=backend,
        disable_radix_cache=now.disable_radix_cache or backend not in RADIX_DETERMINISTIC,
    )  # fmt: skip


def backends(given: Given, now: SglangSettings) -> SglangSettings:
    """Fill in the attention backend and what follows from it (`attention_hook.py:110`)."""
    now = _fill(given, now)
    if now.attention_backend in EAGER:
        now = cuda_graph.without_graphs(now)
    if given.model.name == "WhisperForConditionalGeneration":
        now = changed(now, disable_radix_cache=True)
    return changed(now, page_size=_page(now))


def _fill(given: Given, now: SglangSettings) -> SglangSettings:
    both = now.prefill_attention_backend
    if both is not None and both == now.decode_attention_backend:
        return changed(now, attention_backend=both)
    if now.attention_backend is None:
        return changed(now, attention_backend=default_backend(given, now))
    return now


def _page(now: SglangSettings) -> int | None:
    """Snap the page to what the backends read (`overrides.py:1144`)."""
    page = now.page_size
    main, prefill, decode = now.attention_backend, now.prefill_attention_backend, now.decode_attention_backend
    if "flashmla" in (main, decode):
        page = 64
    if "trtllm_mla" in (main, decode) and page not in LATENT_PAGES:
        page = 64
    if "cutedsl_mla" in (main, prefill, decode) and page not in LATENT_PAGES:
        page = 64
    draft = now.speculative_draft_attention_backend
    if "trtllm_mha" in (main, prefill, decode, draft) and page not in TRTLLM_MHA_PAGES:
        page = 64
    return 64 if "hpc_ops" in (main, prefill, decode) else page


def after_checks(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle what comes after the checks of backend and GPU (`overrides.py:1233`, `:1263`, `:1274`)."""
    main, prefill, decode = now.attention_backend, now.prefill_attention_backend, now.decode_attention_backend
    if "cutedsl_mla" in (main, decode) and prefill is None:
        now = changed(now, prefill_attention_backend="trtllm_mla")
    if main == "fa3" and now.kv_cache_dtype == "fp8_e5m2":
        now = changed(now, attention_backend="triton")
    chosen = (now.attention_backend, now.prefill_attention_backend, decode)
    if "fa4" in chosen and not given.model.is_mla and given.sm100 and (now.speculative_eagle_topk or 0) <= 1:
        now = changed(now, page_size=1 if given.model.name == "DiffusionGemmaForBlockDiffusion" else 128)
    return _aiter_share(given, now) if now.attention_backend == "aiter" else now


def _aiter_share(given: Given, now: SglangSettings) -> SglangSettings:
    """Leave aiter room for its workspace in long contexts (`attention_hook.py:244`)."""
    context = now.context_length or given.model.context_length
    honoured = given.switched_on("SGLANG_AITER_HONOR_EXPLICIT_MEM_FRACTION")
    explicit = given["mem_fraction_static"] is not None and honoured
    if context is None or context <= LONG_CONTEXT or explicit or now.mem_fraction_static is None:
        return now
    return changed(now, mem_fraction_static=now.mem_fraction_static * AITER_SHARE)


def page_default(_given: Given, now: SglangSettings) -> SglangSettings:
    """Take pages of one token where nothing asked for another size (`overrides.py:1341`)."""
    return changed(now, page_size=1) if now.page_size is None else now


def item_scoring(given: Given, now: SglangSettings) -> SglangSettings:
    """Apply `--enable-mis` (`attention_hook.py:526`)."""
    if not given["enable_mis"]:
        return now
    return changed(cuda_graph.without_graphs(now), disable_radix_cache=True, chunked_prefill_size=-1)
