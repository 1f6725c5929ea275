"""Rules about running a deployment."""

from __future__ import annotations

from launchplan.rules.operations import (
    image_known,
    kserve_pools_of_sglang,
    layout_was_run,
    load_within_timeout,
    ray_installed,
    secret_not_written,
    value_printable,
    window_from_workload,
)

RULES = (
    secret_not_written.check,
    layout_was_run.check,
    window_from_workload.check,
    value_printable.check,
    load_within_timeout.check,
    image_known.check,
    kserve_pools_of_sglang.check,
    ray_installed.check,
)
