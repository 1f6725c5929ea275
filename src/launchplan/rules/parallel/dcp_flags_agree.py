"""Flags of decode context parallelism that do not agree.

## Why

The exchange backend and the replicated query projection do something only with `--dcp-size` above 1, and
prefill context parallelism uses the same ranks in another way.

## Fix

Remove the flag that the message names, or set `--dcp-size`.

## References

- SGLang 0.5.23 `arg_groups/parallel_hook.py:240`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

EXCHANGES = ("a2a", "fi_a2a")


@sglang_rule("PAR307", "dcp-flags-agree", source="parallel_hook.py:240")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the flags with the size."""
    held, given = view.settings, view.arguments
    backend, replicated = given["dcp_comm_backend"], given["dcp_replicate_q_proj"]
    if held.dcp_size < 1:
        yield refuse(view, "dcp_size", f"dcp-size is {held.dcp_size}, 1 is the least", "leave dcp-size out")
    elif held.dcp_size > 1 and held.enable_prefill_cp:
        message = f"dcp-size {held.dcp_size} does not go with enable-prefill-cp"
        yield refuse(view, "enable_prefill_cp", message, "leave dcp-size out")
    elif held.dcp_size == 1 and backend in EXCHANGES:
        message = f"dcp-comm-backend {backend} needs dcp-size above 1"
        yield refuse(view, "dcp_comm_backend", message, "leave dcp-comm-backend out")
    elif replicated and held.dcp_size == 1:
        message = "dcp-replicate-q-proj needs dcp-size above 1"
        yield refuse(view, "dcp_replicate_q_proj", message, "leave dcp-replicate-q-proj out")
    elif replicated and held.complete and held.dcp_comm_backend not in EXCHANGES:
        message = f"dcp-replicate-q-proj needs dcp-comm-backend a2a or fi_a2a, not {held.dcp_comm_backend}"
        yield refuse(view, "dcp_replicate_q_proj", message, "use dcp-comm-backend a2a")
