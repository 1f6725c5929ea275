"""A KV connector without a name or a role, or one that this version does not have.

## Why

`--kv-transfer-config` names the connector that moves KV blocks and the side that this engine is on.
Connectors of one's own come with the path of their module.

## Fix

Give `kv_connector` and `kv_role` (`kv_producer`, `kv_consumer`, `kv_both`).

## References

- vLLM 0.33.0 `vllm/distributed/kv_transfer/kv_connector/factory.py:102`, `:128`,
  `vllm/config/kv_transfer.py:113`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from launchplan.engines.vllm.settings.reading import mapping
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import held, lists_all, models, refuse, vllm_rule
from launchplan.rules.wording import shown


@vllm_rule("DIS201", "connector-known", source="distributed/kv_transfer/kv_connector/factory.py:128")
def check(view: VllmView) -> Iterator[Violation]:
    """Look the connector up."""
    config = mapping(view, "kv_transfer_config")
    name, flag = config.get("kv_connector"), "kv_transfer_config"
    if view.arguments[flag] is None or view.arguments["kv_offloading_size"] is not None:
        return
    if name is None:
        if view.arguments["disable_hybrid_kv_cache_manager"] is None:
            message = "kv-transfer-config names no kv_connector"
            place = "distributed/kv_transfer/kv_connector/factory.py:102"
            yield refuse(view, flag, message, "add kv_connector", source=place)
    elif config.get("kv_role") is None:
        message = f"kv-transfer-config gives {shown(name)} no kv_role"
        place = "vllm/config/kv_transfer.py:113 (0.33.0)"
        yield Violation(message, view.path(flag), "add kv_role: kv_both", place, "parse")
    elif not config.get("kv_connector_module_path"):
        facts = models(view)
        known = [each.name for each in facts.kv_connectors]
        unknown = next((each for each in _named(config) if each not in known), None)
        if unknown is not None and lists_all(facts, view):
            near = get_close_matches(unknown, known, n=1)
            fix = f"did you mean {near[0]}?" if near else "use one of this version"
            yield refuse(view, flag, f"there is no KV connector {shown(unknown)}", fix)


def _named(config: Mapping[str, Any]) -> Iterator[str]:
    """Give the connector and those under `MultiConnector` that come without a module of their own."""
    name = config.get("kv_connector")
    if isinstance(name, str):
        yield name
    inner = held(config, "kv_connector_extra_config").get("connectors") if name == "MultiConnector" else None
    for child in inner if isinstance(inner, list) else ():
        if isinstance(child, Mapping) and not child.get("kv_connector_module_path"):
            own = child.get("kv_connector")
            if isinstance(own, str):
                yield own
