"""Host memory of a decode instance that is used in two ways, or by the wrong role.

## Why

A decode instance can keep retracted requests, incoming caches and finished caches in host memory. Each builds
a pool of its own kind; some exclude each other, and all belong to decode instances.

## Fix

Keep one of the options that the message names.

## References

- SGLang 0.5.23 `arg_groups/pd_disaggregation_hook.py:62`-`:75`; `arg_groups/kv_cache_hook.py:345`-`:413`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

THRESHOLD = "disaggregation_decode_host_receive_threshold"
BACKUP = "disaggregation_decode_retraction_backup"
OFFLOAD = "disaggregation_decode_enable_offload_kvcache"


@sglang_rule("DIS305", "decode-host-memory", source="kv_cache_hook.py:345")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the uses of a decode instance's host memory."""
    given = view.arguments
    threshold, backup = given[THRESHOLD], given[BACKUP]
    if not 0 <= threshold <= 1:
        message = f"{THRESHOLD.replace('_', '-')} is {threshold}, 0 to 1 work"
        yield refuse(view, THRESHOLD, message, "use a share of 1")
    elif threshold < 1:
        backup = "host_pool"
        for name, there in (
            ("enable-hisparse", given["enable_hisparse"]),
            ("enable-pd-role-switch", given["enable_pd_role_switch"]),
            ("retraction backup cpu_tensor", given[BACKUP] == "cpu_tensor"),
        ):
            if there:
                message = f"{THRESHOLD.replace('_', '-')} does not work with {name}"
                yield refuse(view, THRESHOLD, message, f"remove {name}")
    if backup == "host_pool":
        yield from _retraction(view)
    if given[OFFLOAD]:
        yield from _offload(view, backup)


def _retraction(view: SglangView) -> Iterator[Violation]:
    given = view.arguments
    name = BACKUP if given[BACKUP] == "host_pool" else THRESHOLD
    preempts = given["enable_priority_scheduling"] and not given["disable_priority_preemption"]
    for what, there in (
        ("needs disaggregation-mode decode", given["disaggregation_mode"] != "decode"),
        (f"does not work with dcp {given['dcp_size']}", given["dcp_size"] > 1),
        ("needs disable-priority-preemption beside priorities", preempts),
    ):
        if there:
            message = f"disaggregation-decode-retraction-backup host_pool {what}"
            yield refuse(view, name, message, "leave the retraction backup out")


def _offload(view: SglangView, backup: str | None) -> Iterator[Violation]:
    given, flag = view.arguments, OFFLOAD.replace("_", "-")
    if given["disaggregation_mode"] != "decode":
        yield refuse(view, OFFLOAD, f"{flag} needs disaggregation-mode decode", f"remove {flag}")
    if given["hicache_storage_backend"] is None:
        yield refuse(view, OFFLOAD, f"{flag} needs hicache-storage-backend", "add hicache-storage-backend")
    if backup == "host_pool":
        message = f"{flag} does not work with retraction backup host_pool"
        yield refuse(view, OFFLOAD, message, "leave the retraction backup out")
