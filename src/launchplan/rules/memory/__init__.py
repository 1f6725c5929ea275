"""Rules about what has to fit into the memory of the GPUs."""

from __future__ import annotations

from launchplan.rules.memory import (
    checkpoint_exceeds_gpus,
    longest_request_fits,
    longest_request_may_fit,
    offload_fits_host,
    pool_serves_workload,
    rank_nearly_full,
    rank_too_full,
    share_exceeds_free,
    share_leaves_room,
    state_blocks_for_requests,
    state_blocks_may_run_out,
    window_from_tail,
)

RULES = (
    checkpoint_exceeds_gpus.check,
    rank_too_full.check,
    rank_nearly_full.check,
    longest_request_fits.check,
    longest_request_may_fit.check,
    pool_serves_workload.check,
    state_blocks_for_requests.check,
    state_blocks_may_run_out.check,
    share_leaves_room.check,
    window_from_tail.check,
    offload_fits_host.check,
    share_exceeds_free.check,
)
