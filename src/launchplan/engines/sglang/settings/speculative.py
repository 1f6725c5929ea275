"""Speculative decoding: the algorithm's own defaults (`arg_groups/speculative_hook.py`, 0.5.23)."""

from __future__ import annotations

from launchplan.engines.sglang.settings import classes
from launchplan.engines.sglang.settings.given import Flags, Given
from launchplan.engines.sglang.settings.types import SglangSettings, changed

REQUESTS = 48
"""Requests at once under speculative decoding when nobody says (`speculative_hook.py:1086`)."""
DRAFT_BACKENDS = frozenset({"flashinfer", "fa3", "fa4", "triton", "ascend", "trtllm_mha", "intel_xpu"})
"""`choices.py:DRAFT_ATTENTION_BACKEND_CHOICES`."""
DSPARK_GAMMA = 7
DFLASH_BLOCK = 16
NGRAM_TOKENS = 12
ADAPTIVE_STEPS = (0, 1, 3, 5, 7)
"""Steps of the built-in adaptive configuration (`adaptive_spec_params.py:28`)."""
MIXED_CHUNK = frozenset({"EAGLE", "EAGLE3", "DFLASH", "DSPARK"})
BUNDLED_DSPARK = (
    "dspark_block_size",
    "dspark_markov_rank",
    "dspark_noise_token_id",
    "dspark_target_layer_ids",
)


def hidden_states(given: Flags, now: SglangSettings) -> SglangSettings:
    """Read the algorithm as a capture convention only (`validation_hook.py:697`)."""
    return changed(now, speculative_algorithm=None) if given["enable_return_aux_hidden_states"] else now


def draft_runner(_given: Given, now: SglangSettings) -> SglangSettings:
    """Give draft models the target's expert kernel (`overrides.py:1632`)."""
    if now.speculative_moe_runner_backend is not None:
        return now
    chosen = now.moe_runner_backend
    if chosen == "flashinfer_megamoe":
        chosen = "flashinfer_trtllm"
    return changed(now, speculative_moe_runner_backend="auto" if chosen.startswith("lora_") else chosen)


def algorithm(given: Given, now: SglangSettings) -> SglangSettings:
    """Settle the algorithm and its numbers (`speculative_hook.py:121`)."""
    if now.speculative_algorithm is None:
        return now
    name = now.speculative_algorithm.upper()
    now = changed(now, speculative_algorithm="EAGLE" if name == "NEXTN" else name)
    now = _adaptive(given, now)
    settle = _BY_NAME.get(now.speculative_algorithm or "")
    return settle(given, now) if settle else now


def _limited(now: SglangSettings) -> SglangSettings:
    return changed(now, max_running_requests=REQUESTS) if now.max_running_requests is None else now


def _adaptive(given: Given, now: SglangSettings) -> SglangSettings:
    """Start adaptive drafting in the middle of its steps (`speculative_hook.py:1392`)."""
    if not now.speculative_adaptive:
        return now
    chain = now.speculative_eagle_topk in {None, 1}
    fits = now.speculative_algorithm in {"EAGLE", "EAGLE3"} and chain and not now.attn_dp_enabled
    clashes = now.enable_multi_layer_eagle or now.enable_two_batch_overlap or given["enable_pdmux"]
    if not fits or clashes:
        return changed(now, speculative_adaptive=False)
    steps = now.speculative_num_steps or ADAPTIVE_STEPS[len(ADAPTIVE_STEPS) // 2]
    return changed(
        now, speculative_eagle_topk=1, speculative_num_steps=steps, speculative_num_draft_tokens=steps + 1
    )


def _eagle(given: Given, now: SglangSettings) -> SglangSettings:
    now = _limited(now)
    if now.speculative_algorithm not in MIXED_CHUNK:
        now = changed(now, enable_mixed_chunk=False)
    if given.model.name in classes.DRAFT_IN_TARGET and now.speculative_draft_model_path is None:
        now = changed(now, speculative_draft_model_path=given["model_path"])
    if not now.speculative_adaptive and now.speculative_num_steps is None:
        wide = given.model.name in classes.WIDE_TREES and now.speculative_algorithm != "STANDALONE"
        steps, top_k, tokens = (5, 4, 8) if wide else (3, 1, 4)
        now = changed(
            now,
            speculative_num_steps=steps,
            speculative_eagle_topk=top_k,
            speculative_num_draft_tokens=tokens,
        )
    if now.speculative_eagle_topk == 1 and now.speculative_num_steps is not None:
        now = changed(now, speculative_num_draft_tokens=now.speculative_num_steps + 1)
    return now


def _dflash(given: Given, now: SglangSettings) -> SglangSettings:
    tokens = given["speculative_dflash_block_size"] or now.speculative_num_draft_tokens or DFLASH_BLOCK
    draft = now.speculative_draft_attention_backend or now.prefill_backend
    if draft is None or draft not in DRAFT_BACKENDS:
        draft = "flashinfer"
    elif draft == "trtllm_mha":
        # The draft's configuration decides; most have full attention.
        draft = "fa4" if given.sm100 else "flashinfer"
    now = changed(
        now, speculative_num_steps=1, speculative_eagle_topk=1, speculative_num_draft_tokens=tokens,
        speculative_draft_attention_backend=draft,
    )  # fmt: skip
    return _limited(now)


def _dspark(given: Given, now: SglangSettings) -> SglangSettings:
    now = changed(now, speculative_num_steps=1, speculative_eagle_topk=1)
    if now.speculative_draft_model_path is None and bundles_dspark(given):
        now = changed(now, speculative_draft_model_path=given["model_path"])
    gamma = given["speculative_dspark_block_size"]
    if gamma is None and now.speculative_draft_model_path == given["model_path"]:
        gamma = given.model.number("dspark_block_size")
    if gamma is None and now.speculative_num_draft_tokens is None:
        gamma = DSPARK_GAMMA
    if gamma is not None:
        now = changed(now, speculative_num_draft_tokens=gamma + 1)
    return _limited(now)


def bundles_dspark(given: Given) -> bool:
    """Tell whether the checkpoint holds its DSpark draft (`dspark_components/dspark_config.py:162`)."""
    model = given.model.architecture
    return any(model.dims.get(key) is not None or key in model.lists for key in BUNDLED_DSPARK)


def _ngram(given: Given, now: SglangSettings) -> SglangSettings:
    breadth = given["speculative_ngram_max_bfs_breadth"]
    tokens = now.speculative_num_draft_tokens or NGRAM_TOKENS
    steps = now.speculative_num_steps
    if steps is None and breadth:
        steps = tokens // breadth
    now = changed(
        now, enable_mixed_chunk=False, speculative_eagle_topk=breadth, speculative_num_draft_tokens=tokens,
        speculative_num_steps=steps,
    )  # fmt: skip
    return _limited(now)


def _uno(_given: Given, now: SglangSettings) -> SglangSettings:
    if (now.speculative_eagle_topk or 1) == 1:
        now = changed(now, speculative_num_steps=1, speculative_eagle_topk=1)
    return changed(now, enable_mixed_chunk=False)


def _frozen(_given: Given, now: SglangSettings) -> SglangSettings:
    return changed(_limited(now), enable_mixed_chunk=False)


_BY_NAME = {
    "EAGLE": _eagle, "EAGLE3": _eagle, "STANDALONE": _eagle, "DFLASH": _dflash, "DSPARK": _dspark,
    "NGRAM": _ngram, "UNO": _uno, "FROZEN_KV_MTP": _frozen,
}  # fmt: skip
