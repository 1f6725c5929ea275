"""Late allocation on decode instances in a layout that it does not know.

## Why

`--disaggregation-decode-allocation-policy prefill_complete` reserves the decode side's cache only when
prefill is done. It knows Mooncake, one GPU per attention replica and plain caches.

## Fix

Use `disaggregation-decode-allocation-policy: early`.

## References

- SGLang 0.5.23 `arg_groups/pd_disaggregation_hook.py:204`-`:242`, `arg_groups/serving_hook.py:560`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

NAME = "disaggregation_decode_allocation_policy"


@sglang_rule("DIS304", "prefill-complete", source="pd_disaggregation_hook.py:239")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for what late allocation does not know."""
    if view.arguments[NAME] != "prefill_complete":
        return
    for what, there in (*_layout(view), *_features(view)):
        if there:
            message = f"allocation policy prefill_complete does not work with {what}"
            yield refuse(view, NAME, message, f"use {NAME.replace('_', '-')} early")


def _layout(view: SglangView) -> tuple[tuple[str, bool], ...]:
    given = view.arguments
    backend = given["disaggregation_transfer_backend"]
    # The check reads the old spelling of attention data parallelism, which was moved to the new one before:
    # it never finds any, so that only one GPU passes.
    tp = given["tp_size"]
    stages = given["pp_size"] != 1 or given["attn_cp_size"] != 1 or given["dcp_size"] != 1
    return (
        ("serving that is not disaggregated", given["disaggregation_mode"] == "null"),
        (f"transfer backend {backend}", backend not in ("mooncake", "mooncake_tcp")),
        ("pipeline, context or decode context parallelism", stages),
        (f"tp-size {tp}", tp != 1),
    )


def _features(view: SglangView) -> tuple[tuple[str, bool], ...]:
    given = view.arguments
    role, tiers = given["disaggregation_mode"], bool(given["enable_hierarchical_cache"])
    deep = given["hicache_storage_backend"] is not None or given["hicache_write_policy"] != "write_back"
    prefix = bool(given["disaggregation_decode_enable_radix_cache"]) or tiers
    switches = ("enable_pdmux", "enable_pd_role_switch", "encoder_only", "language_only", "enable_hisparse")
    variables = ("SGLANG_DISAGG_STAGING_BUFFER", "SGLANG_RUST_SERVER")
    return (
        *((name.replace("_", "-"), bool(given[name])) for name in switches),
        ("decoupled speculation", given["decoupled_spec_role"] != "null"),
        ("decode host receive", given["disaggregation_decode_host_receive_threshold"] < 1),
        ("a prefix cache on decode instances", role == "decode" and prefix),
        ("hicache other than write_back in host memory", role == "prefill" and tiers and deep),
        *((name, view.env_on(name)) for name in variables),
    )
