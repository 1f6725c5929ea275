"""An offloading flag that takes the place of the connector beside it.

## Why

`--kv-offloading-size` makes vLLM's offloading connector the one of the engine, whatever
`--kv-transfer-config` names. A prefill or decode instance then hands no cache on: every request of the
pair fails or is computed twice.

## Fix

Use the recipe's `offload`, which puts both behind a `MultiConnector`, or write that into
`kv-transfer-config`.

## References

- vLLM 0.33.0 `vllm/config/vllm.py:_post_init_kv_transfer_config`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import shown

_OWN = frozenset({None, "OffloadingConnector", "SimpleCPUOffloadConnector"})


@rule(
    "DIS403",
    "offload-keeps-transfer",
    severity=ERROR,
    engines=("vllm",),
    source="vllm/config/vllm.py:_post_init_kv_transfer_config (0.33.0)",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for another connector beside the flag."""
    config = view.arguments["kv_transfer_config"]
    name = config.get("kv_connector") if isinstance(config, dict) else None
    if view.arguments["kv_offloading_size"] is None or name in _OWN:
        return
    message = f"kv-offloading-size takes the place of {shown(name)}: no cache is handed on"
    yield Violation(message, view.path("kv_offloading_size"), "use offload in place of the flag")
