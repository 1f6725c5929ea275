"""A KV transfer backend that its role does not take.

## Why

`fake` moves nothing: a prefill instance has then done its work for nobody, and a decode instance has no
prefix to cache. Decode context parallelism lays the cache out anew while it arrives, and the staging buffer
exists in two backends.

## Fix

Use `transfer.backend` `mooncake` or `nixl`.

## References

- SGLang 0.5.23 `arg_groups/pd_disaggregation_hook.py:86`, `:106`, `:146`, `:158`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

BACKEND = "disaggregation_transfer_backend"
STAGING = "SGLANG_DISAGG_STAGING_BUFFER"
DCP_BACKENDS = ("mooncake", "mooncake_tcp", "nixl", "mori", "ascend", "fake")
STAGING_BACKENDS = ("mooncake", "mooncake_tcp", "nixl")
CURE = "use disaggregation-transfer-backend mooncake or nixl"


@sglang_rule("DIS301", "transfer-backend-fits", source="pd_disaggregation_hook.py:146")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the backend with the instance's role."""
    given = view.arguments
    role, backend = given["disaggregation_mode"], given[BACKEND]
    if role == "prefill" and backend == "fake":
        message = "a prefill instance does not take disaggregation-transfer-backend fake"
        yield refuse(view, BACKEND, message, CURE)
    if role == "decode" and backend == "fake" and given["disaggregation_decode_enable_radix_cache"]:
        message = "disaggregation-decode-enable-radix-cache has nothing to cache by transfer backend fake"
        yield refuse(view, BACKEND, message, CURE)
    if role == "decode" and given["dcp_size"] > 1 and backend not in DCP_BACKENDS:
        message = (
            f"dcp {given['dcp_size']} on a decode instance does not work with transfer backend {backend}"
        )
        yield refuse(view, BACKEND, message, CURE)
    if role in ("prefill", "decode") and view.env_on(STAGING) and backend not in STAGING_BACKENDS:
        message = f"{STAGING} does not work with transfer backend {backend}"
        yield refuse(view, BACKEND, message, f"unset {STAGING}, or {CURE}")
