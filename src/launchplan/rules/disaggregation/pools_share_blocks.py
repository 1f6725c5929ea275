"""Prefill and decode cut the KV cache into blocks that do not fit each other.

## Why

Blocks are handed on whole. SGLang's decode wants prefill's page size, whether it was given or follows from
model, GPU and attention backend; vLLM's NIXL connector reads smaller blocks into larger ones, so decode's
block has to be a multiple of prefill's, and the same for hybrid models. What vLLM takes unasked depends on
the attention backend of its workers: only sizes that are given are compared.

## Fix

Give both pools the same `serve.block_size`.

## References

- vLLM 0.33.0 `vllm/distributed/kv_transfer/kv_connector/utils.py:block_size_ratio`,
  `v1/nixl/base_worker.py:_validate_remote_agent_handshake`, `vllm/platforms/interface.py:750`
- SGLang 0.5.23 `disaggregation/common/conn.py:1320` (`try_ensure_parallel_info`)
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView, PoolViews
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.units import plural

_FLAG = {"vllm": "block_size", "sglang": "page_size"}


@rule(
    "DIS103",
    "pools-share-blocks",
    severity=ERROR,
    source={
        "vllm": "vllm/distributed/kv_transfer/kv_connector/utils.py (0.33.0)",
        "sglang": "sglang/srt/disaggregation/common/conn.py (0.5.23)",
    },
)
def check(pools: PoolViews) -> Iterator[Violation]:
    """Compare the block sizes where both are known."""
    if len(pools.views) != 2:
        return
    prefill, decode = pools.views
    ours, theirs = block_size(prefill), block_size(decode)
    if ours is None or theirs is None or ours == theirs:
        return
    model = decode.architecture
    fits = theirs % ours == 0 and not (model is not None and model.is_hybrid)
    if decode.engine == "vllm" and fits:
        return
    message = f"prefill has blocks of {_said(prefill, ours)}, decode of {_said(decode, theirs)}"
    both = ours if _is_given(prefill) else theirs
    yield Violation(message, decode.path(_FLAG[decode.engine]), f"give both pools serve.block_size {both}")


def block_size(view: EngineView) -> int | None:
    """Give the tokens of a block of the cache that is handed on; None where they are not known.

    Decode with hisparse keeps pages of its own.
    """
    given = view.arguments[_FLAG[view.engine]]
    if not isinstance(view, SglangView):
        return given if isinstance(given, int) else None
    if view.arguments["disaggregation_mode"] == "decode" and view.arguments["enable_hisparse"]:
        return None
    return view.settings.page_size if view.given is not None else given


def _is_given(view: EngineView) -> bool:
    return _FLAG[view.engine] in view.arguments


def _said(view: EngineView, tokens: int) -> str:
    return plural(tokens, "token") + ("" if _is_given(view) else " (the engine's own)")
