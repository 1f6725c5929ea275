"""Tensor parallel sizes of the pools between which no block can be handed on.

## Why

Each decode rank reads its KV heads from the prefill ranks that hold them, so one tensor parallel size has
to divide the other. Where prefill has more ranks than decode and more ranks than KV heads, heads are held
twice and vLLM's NIXL connector asserts against it; older releases take no decode smaller than prefill.
Models with MLA hold the same latent on every rank, and any of them will do.

## Fix

Use a prefill `tp` that divides that of decode, or one of at most the number of KV heads.

## References

- vLLM 0.33.0
  `vllm/distributed/kv_transfer/kv_connector/v1/nixl/base_worker.py:2728`
  (`_validate_remote_agent_handshake`), `kv_connector/utils.py:522` (`tp_ratio`), `:549` (`is_kv_replicated`)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.splits import has_kv_heads


@rule(
    "DIS102",
    "pools-split-heads",
    severity=ERROR,
    engines=("vllm",),
    source="vllm/distributed/kv_transfer/kv_connector/v1/nixl/base_worker.py (0.33.0)",
)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Compare the tensor parallel sizes with each other and with the KV heads."""
    if len(resolved.pools) != 2:
        return
    prefill, decode = resolved.pools
    ours, theirs = prefill.parallel.tp, decode.parallel.tp
    path = prefill.path("parallel", "tp")
    if max(ours, theirs) % min(ours, theirs):
        message = f"prefill tp {ours} and decode tp {theirs}: neither divides the other"
        yield Violation(message, path, f"use tp {theirs} for both")
        return
    transfer = resolved.deployment.recipe.value.transfer
    model = prefill.architecture
    heads = model.num_key_value_heads if model is not None and has_kv_heads(model) else None
    # A recurrent state travels by rules of its own.
    if model is None or heads is None or model.is_mla or model.is_hybrid:
        return
    if ours > max(theirs, heads) and (transfer is None or transfer.backend == "nixl"):
        message = (
            f"prefill tp {ours} holds {heads} KV heads more than once, decode tp {theirs} cannot read them"
        )
        yield Violation(
            message, path, f"use tp {theirs} or {heads}" if theirs != heads else f"use tp {heads}"
        )
