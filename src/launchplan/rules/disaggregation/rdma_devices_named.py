"""Mooncake left to find RDMA devices on hosts that may have none.

## Why

Without `--disaggregation-ib-device` Mooncake looks for RDMA devices by itself. On hosts without them the
transfer of the KV cache fails when the first request arrives, not at start.

## Fix

Name the devices, or use `disaggregation-transfer-backend: nixl` or `mooncake_tcp` where there is no RDMA.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:503`; https://github.com/kvcache-ai/Mooncake/issues/872
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import WARNING, Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule(
    "DIS308", "rdma-devices-named", source="validation_hook.py:503", at="run", severity=WARNING, since=None
)
def check(view: SglangView) -> Iterator[Violation]:
    """Look for RDMA between the instances."""
    given, fabric = view.arguments, view.pool.fabric
    apart = given["disaggregation_mode"] in ("prefill", "decode")
    if not apart or given["disaggregation_transfer_backend"] != "mooncake":
        return
    if given["disaggregation_ib_device"] is None and (fabric is None or not fabric.rdma):
        known = f"over {fabric.id}" if fabric is not None else "over a network that nobody names"
        message = f"mooncake looks for RDMA devices by itself, {known}"
        fix = "add disaggregation-ib-device, or use transfer backend nixl or mooncake_tcp"
        yield refuse(view, "disaggregation_transfer_backend", message, fix)
