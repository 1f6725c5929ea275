"""KV offload without a size that its backend wants, or with one that it does not take.

## Why

vLLM's own offloading does nothing until it is told how much host memory it may have. A Mooncake store has
its sizes in its own configuration, on vLLM; SGLang's host tier in front of the store takes one.

## Fix

Set `offload.host_gib`, or remove it where the message says so.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:_post_init_kv_transfer_config`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "DIS402",
    "offload-complete",
    severity=ERROR,
    engines=("vllm",),
    source="vllm/config/vllm.py:_post_init_kv_transfer_config (0.33.0)",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look at the size beside the backend."""
    wanted = pool.offload
    if wanted is None:
        return
    if wanted.backend == "native" and wanted.host_gib is None and "cpu_bytes_to_use" not in wanted.options:
        yield Violation("native offload has no host_gib: it stays off", pool.offload_path, "set host_gib")
    if wanted.backend == "mooncake" and wanted.host_gib is not None:
        message = "host_gib does not reach the Mooncake store, whose own configuration has the sizes"
        yield Violation(message, (*pool.offload_path, "host_gib"), "remove it")
