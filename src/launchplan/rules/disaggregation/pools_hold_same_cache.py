"""Prefill and decode keep their KV cache in different formats.

## Why

Decode takes the blocks as prefill wrote them. vLLM's NIXL connector compares a hash of version, model,
data type, KV cache data type and context parallel sizes at the first request and refuses another's;
SGLang's decode refuses a prefill whose KV cache data type or page size is not its own. Both servers are
healthy until then.

## Fix

Give both pools the same `serve` keys for `dtype`, `kv_cache_dtype` and `hf_overrides`, and the same `dcp`
on vLLM.

## References

- vLLM 0.33.0 `vllm/distributed/kv_transfer/kv_connector/v1/nixl/base_worker.py:_nixl_handshake`,
  `nixl/metadata.py:compute_nixl_compatibility_hash`
- SGLang 0.5.23 `disaggregation/common/conn.py:1328` (`try_ensure_parallel_info`)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved, ResolvedPool
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import cut

_KEYS = ("dtype", "kv_cache_dtype", "hf_overrides", "quantization")


@rule(
    "DIS101",
    "pools-hold-same-cache",
    severity=ERROR,
    source={
        "vllm": "vllm/distributed/kv_transfer/kv_connector/v1/nixl/metadata.py (0.33.0)",
        "sglang": "sglang/srt/disaggregation/common/conn.py (0.5.23)",
    },
)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Compare what decides the format in both pools."""
    if len(resolved.pools) != 2:
        return
    prefill, decode = resolved.pools
    for key in _KEYS:
        ours, theirs = getattr(prefill.serve, key), getattr(decode.serve, key)
        if _plain(ours) != _plain(theirs):
            yield _violation(key, ours, theirs, decode, ("serve", key))
    ours, theirs = prefill.parallel.dcp, decode.parallel.dcp
    nixl = resolved.deployment.recipe.value.transfer
    if resolved.deployment.engine == "vllm" and ours != theirs and (nixl is None or nixl.backend == "nixl"):
        yield _violation("dcp", ours, theirs, decode, ("parallel", "dcp"))


def _plain(value: object) -> object:
    return None if value in ("auto", {}) else value


def _violation(
    key: str, ours: object, theirs: object, decode: ResolvedPool, path: tuple[str, str]
) -> Violation:
    message = f"prefill and decode differ in {key}: {_word(ours)} and {_word(theirs)}"
    return Violation(message, decode.path(*path), f"give both pools the same {key}")


def _word(value: object) -> str:
    return cut(str(value)) if value is not None else "unset"
