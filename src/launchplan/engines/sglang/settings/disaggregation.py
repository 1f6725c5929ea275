"""Prefill and decode servers (`arg_groups/pd_disaggregation_hook.py`, 0.5.23)."""

from __future__ import annotations

from launchplan.engines.sglang.settings.given import Flags
from launchplan.engines.sglang.settings.types import SglangSettings, changed

FEW_REQUESTS = 32
"""Up to so many requests a worker, slots for requests in transfer are reserved (`:128`)."""


def roles(given: Flags, now: SglangSettings) -> SglangSettings:
    """Settle transfer, radix cache and spare slots of a role (`pd_disaggregation_hook.py:24`)."""
    if now.disaggregation_transfer_backend == "mooncake_tcp":
        now = changed(now, disaggregation_transfer_backend="mooncake")
    if now.disaggregation_mode != "decode":
        return now
    spare = now.disaggregation_decode_extra_slots
    if spare is None:
        spare = 0
        workers = now.dp_size * now.attn_dp_size
        if now.max_running_requests is not None and workers > 0:
            share = max(1, now.max_running_requests // workers)
            spare = share * 2 if share <= FEW_REQUESTS else 0
    kept = bool(given["disaggregation_decode_enable_radix_cache"])
    return changed(now, disable_radix_cache=not kept, disaggregation_decode_extra_slots=spare)
