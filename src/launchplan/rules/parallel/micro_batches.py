"""Micro-batches without the exchange that they overlap with.

## Why

`--enable-dbo` and `--ubatch-size` cut a batch in two so that one half computes while the other half's
tokens travel to their experts. Only DeepEP and NIXL exchanges do that, and a batch must have a token for
each part.

## Fix

Add `--all2all-backend deepep_low_latency` (or another of those named), or remove the flag.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:2198`, `vllm/config/parallel.py:1175`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

BACKENDS = ("deepep_low_latency", "deepep_high_throughput", "nixl_ep")


@vllm_rule("PAR212", "micro-batches", source="config/vllm.py:2198")
def check(view: VllmView) -> Iterator[Violation]:
    """Look for an exchange that overlaps."""
    parts = 2 if on(view, "enable_dbo") else count(view, "ubatch_size") or 0
    if not (on(view, "enable_dbo") or parts > 1):
        return
    name = "enable_dbo" if on(view, "enable_dbo") else "ubatch_size"
    least = min(
        count(view, each) or 0 for each in ("dbo_decode_token_threshold", "dbo_prefill_token_threshold")
    )
    backend = view.settings.parallel.all2all
    if least < parts:
        message = (
            f"the thresholds of {name.replace('_', '-')} start at {least} tokens, there are {parts} parts"
        )
        yield refuse(view, name, message, f"use {parts} or more", source="config/parallel.py:1175")
    elif backend not in BACKENDS:
        message = f"{name.replace('_', '-')} does not overlap with the all2all backend {backend}"
        yield refuse(
            view, name, message, f"use all2all-backend {BACKENDS[0]}, {BACKENDS[1]} or {BACKENDS[2]}"
        )
