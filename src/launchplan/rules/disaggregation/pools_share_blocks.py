"""Prefill and decode cut the KV cache into blocks that do not fit each other.

## Why

Blocks are handed on whole. SGLang's decode wants prefill's page size; vLLM's NIXL connector reads smaller
blocks into larger ones, so decode's block has to be a multiple of prefill's, and the same for hybrid
models.

## Fix

Give both pools the same `serve.block_size`.

## References

- vLLM 0.33.0 `vllm/distributed/kv_transfer/kv_connector/utils.py:block_size_ratio`,
  `v1/nixl/base_worker.py:_validate_remote_agent_handshake`
- SGLang 0.5.23 `disaggregation/common/conn.py:1320` (`try_ensure_parallel_info`)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "DIS103",
    "pools-share-blocks",
    severity=ERROR,
    source={
        "vllm": "vllm/distributed/kv_transfer/kv_connector/utils.py (0.33.0)",
        "sglang": "sglang/srt/disaggregation/common/conn.py (0.5.23)",
    },
)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Compare the block sizes where both are given."""
    if len(resolved.pools) != 2:
        return
    prefill, decode = resolved.pools
    ours, theirs = prefill.serve.block_size, decode.serve.block_size
    if ours is None or theirs is None or ours == theirs:
        return
    model = decode.architecture
    fits = theirs % ours == 0 and not (model is not None and model.is_hybrid)
    if resolved.deployment.engine == "vllm" and fits:
        return
    message = f"prefill has blocks of {ours} tokens, decode of {theirs}"
    yield Violation(message, decode.path("serve", "block_size"), f"use {ours} for both")
