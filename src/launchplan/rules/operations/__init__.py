"""Rules about running a deployment."""

from __future__ import annotations

from launchplan.rules.operations import layout_was_run, secret_not_written, window_from_workload

RULES = (
    secret_not_written.check,
    layout_was_run.check,
    window_from_workload.check,
)
