"""NIXL transfers of a cache that is shared by position in part.

## Why

A side of a NIXL transfer holds its cache whole on each rank, or spreads it over all of them: dcp is 1 or
the larger of tp and the prefill context size. Spreading is for latent attention only.

## Fix

Use dcp 1, or dcp = tp on a model with latent attention.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:1582`, `:1588`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import connectors, refuse, vllm_rule


@vllm_rule("DIS202", "nixl-context-parallel", source="config/vllm.py:1582")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the decode context size with the ranks."""
    sizes = view.settings.parallel
    ranks = max(sizes.tp, sizes.pcp)
    if "NixlConnector" not in connectors(view) or sizes.dcp == 1:
        return
    if sizes.dcp != ranks:
        message = f"NIXL transfers take dcp 1 or {ranks}, not {sizes.dcp}"
        yield refuse(view, "decode_context_parallel_size", message, f"use dcp 1 or {ranks}")
    elif view.settings.model.use_mla is False:
        message = f"NIXL transfers with dcp {sizes.dcp} are for latent attention"
        yield refuse(view, "decode_context_parallel_size", message, "use dcp 1", source="config/vllm.py:1588")
