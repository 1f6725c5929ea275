"""Sizes of the layout: attention data parallelism, context parallelism, decode context parallelism.

SGLang 0.5.23: `arg_groups/parallel_hook.py`, `arg_groups/overrides.py`.
"""

from __future__ import annotations

from dataclasses import replace

from launchplan.engines.sglang.settings import cuda_graph
from launchplan.engines.sglang.settings.given import Flags, Given
from launchplan.engines.sglang.settings.types import SglangSettings, changed

CONSERVATIVENESS = 0.3
"""Factor of `--schedule-conservativeness` under attention data parallelism (`parallel_hook.py:318`)."""


def attention_dp(given: Flags, now: SglangSettings) -> SglangSettings:
    """Read `--dp-size N --enable-dp-attention` as `--attn-dp-size N` (`parallel_hook.py:39`)."""
    if given["enable_dp_attention"] and now.attn_dp_size == 1:
        now = changed(now, attn_dp_size=now.dp_size, dp_size=1)
    return changed(now, attn_dp_enabled=now.attn_dp_size > 1 or given["ep_join_mode"] == "scale")


def decode_context(given: Given, now: SglangSettings) -> SglangSettings:
    """Choose how decode context parallel ranks exchange (`overrides.py:1374`, `utils/common.py:1056`)."""
    if now.dcp_comm_backend is not None:
        return now
    if now.dcp_size <= 1:
        return changed(now, dcp_comm_backend="ag_rs")
    one_domain = given.across_hosts or _ranks_on_host(now) % now.dcp_size == 0
    return changed(now, dcp_comm_backend="fi_a2a" if given.sm100 and one_domain else "a2a")


def _ranks_on_host(now: SglangSettings) -> int:
    stages = now.nnodes // now.pp_size if now.pp_size else 1
    return now.tp_size // max(stages, 1)


def expert_weights_on_demand(given: Flags, now: SglangSettings) -> SglangSettings:
    """Apply `--dwdp-size`, which settles the whole layout (`parallel_hook.py:433`)."""
    size = given["dwdp_size"] or 1
    if size <= 1:
        return now
    return changed(
        now, attn_dp_size=size, dp_size=1, attn_dp_enabled=True, enable_dp_lm_head=True, moe_dense_tp_size=1,
        ep_size=size, moe_dp_size=1, moe_a2a_backend="none",
        decode_graph=replace(now.decode_graph, backend="disabled", backend_given=True),
        prefill_graph=replace(now.prefill_graph, backend="disabled", backend_given=True),
    )  # fmt: skip


def data_parallelism(given: Given, now: SglangSettings) -> SglangSettings:
    """Divide the prefill chunk over attention replicas (`parallel_hook.py:276`)."""
    if now.dp_size * now.attn_dp_size == 1 and given["ep_join_mode"] != "scale":
        now = changed(now, enable_dp_lm_head=False)
    if now.attn_dp_enabled and now.attn_dp_size > 0:
        chunk = (now.chunked_prefill_size or 0) // now.attn_dp_size
        now = changed(
            now,
            schedule_conservativeness=now.schedule_conservativeness * CONSERVATIVENESS,
            chunked_prefill_size=chunk,
            prefill_graph=cuda_graph.clamp(now.prefill_graph, chunk),
        )
    if now.enable_tp_lm_head_all_to_all is None:
        pure = now.attn_dp_size > 1 and now.tp_size == now.attn_dp_size and now.attn_cp_size == 1
        decodes = now.disaggregation_mode == "decode"
        now = changed(now, enable_tp_lm_head_all_to_all=decodes and pure and not now.enable_dp_lm_head)
    return now


def load_balance(_given: Flags, now: SglangSettings) -> SglangSettings:
    """Choose how requests are dealt to replicas (`serving_hook.py:217`)."""
    if now.load_balance_method != "auto":
        return now
    prefills = now.disaggregation_mode == "prefill"
    return changed(now, load_balance_method="follow_bootstrap_room" if prefills else "round_robin")


def expert_dispatch(given: Given, now: SglangSettings) -> SglangSettings:
    """Choose which replica of an expert takes a token (`parallel_hook.py:750`)."""
    placed = given["enable_eplb"] or given["init_expert_location"] != "trivial"
    if not placed or now.ep_dispatch_algorithm is not None:
        return now
    return changed(now, ep_dispatch_algorithm="dynamic" if now.moe_a2a_backend == "none" else "static")


def pipeline_overlap(_given: Flags, now: SglangSettings) -> SglangSettings:
    """Switch the overlap scheduler off with pipeline stages (`overrides.py:1624`)."""
    return changed(now, disable_overlap_schedule=True) if now.pp_size > 1 else now
