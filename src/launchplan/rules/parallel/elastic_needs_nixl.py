"""Elastic experts that are moved in the background by a package vLLM does not bring.

## Why

With elastic expert parallelism the balancer's background mode, its default, moves experts over NIXL. vLLM
does not depend on that package: a plain installation refuses to start. An image with KV connectors may have
it; a recipe that names NIXL, as communicator or as connector, is taken to know.

## Fix

Set `use_async: false` in `eplb-config`; where the image has NIXL, `communicator: nixl` says so.

## References

- vLLM 0.33.0 `vllm/config/parallel.py:992`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import mapping, on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import connectors, refuse, vllm_rule


@vllm_rule("PAR217", "elastic-needs-nixl", source="config/parallel.py:992")
def check(view: VllmView) -> Iterator[Violation]:
    """Look for the background mode."""
    config = mapping(view, "eplb_config")
    named = config.get("communicator") == "nixl" or any(name.startswith("Nixl") for name in connectors(view))
    if (
        on(view, "enable_elastic_ep")
        and on(view, "enable_eplb")
        and config.get("use_async", True)
        and not named
    ):
        message = "enable-elastic-ep moves experts over NIXL, which vllm does not bring"
        fix = "set eplb-config use_async: false, or communicator: nixl where the image has it"
        yield refuse(view, "enable_elastic_ep", message, fix)
