"""LMCache beside decode context parallelism.

## Why

LMCache's connector takes one slot a token from each rank. Decode context parallelism gives a rank only
its share of the positions, which the connector's own check does not expect.

## Fix

Leave the connector or `dcp` out.

## References

- LMCache/LMCache issue 1732
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from launchplan.engines.view import EngineView
from launchplan.rules.past import size
from launchplan.rules.rule import WARNING, Violation, rule


@rule("DIS401", "offload-with-dcp", severity=WARNING, engines=("vllm",), source="LMCache/LMCache issue 1732")
def check(view: EngineView) -> Iterator[Violation]:
    """Look for the connector beside a split cache."""
    config = view.arguments["kv_transfer_config"]
    name = config.get("kv_connector") if isinstance(config, Mapping) else None
    dcp = size(view, "decode_context_parallel_size")
    if dcp > 1 and isinstance(name, str) and name.startswith("LMCache"):
        message = f"{name} was seen to fail with dcp {dcp}"
        yield Violation(message, view.path("kv_transfer_config"), "leave the connector or dcp out")
