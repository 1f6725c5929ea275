"""A model with recurrent state without vLLM's hybrid KV cache manager.

## Why

Layers that keep a recurrent state (Mamba, Gated DeltaNet, short convolutions) and layers with keys and values
need blocks of two kinds, which only the hybrid KV cache manager holds. It is off with
`--disable-hybrid-kv-cache-manager`, and by itself beside a KV connector that does not go with it, such as
LMCache's; older releases turned it off for every connector. The engine then loads the weights and stops where
it plans the cache.

## Fix

Use a connector that goes with it (NIXL, Mooncake, `OffloadingConnector`), or leave the connector out.

## References

- vLLM 0.33.0 `vllm/v1/core/kv_cache_planning.py:815`, `vllm/config/vllm.py:2264`,
  `vllm/distributed/kv_transfer/kv_connector/factory.py:55`
- LMCache/LMCache issue 3163 (0.19.1), pull requests 1436 (0.16.0) and 2879; vllm-project/vllm issue 49537
  (0.18.0 with every connector, 0.21.0 with Mooncake's)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from launchplan import catalog
from launchplan.engines.view import EngineView
from launchplan.rules.past import Found, Past, refusals
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.versions import reaches
from launchplan.rules.vllm import held

KNOWN = "0.33.0"
FLAG, SWITCH = "kv_transfer_config", "disable_hybrid_kv_cache_manager"
NEVER = frozenset({"ExampleConnector", "FlexKVConnectorV1", "HF3FSKVConnector", "LMCacheConnectorV1"})
"""Connectors that do not go with it in 0.33.0, so in no release before."""
OPEN = frozenset({"LMCacheMPConnector"})
"""Connectors whose class comes from another package where that is installed."""
FIX = "use a connector that goes with it, or leave it out"


def _has_both(view: EngineView) -> bool:
    model = view.architecture
    return model is not None and model.is_hybrid and bool(model.count_attention("full", "sliding", "mla"))


def _configured(view: EngineView) -> tuple[str, ...]:
    """List the connectors, those under `MultiConnector` in its place; none where one is of one's own."""
    config = view.arguments[FLAG]
    if not isinstance(config, Mapping) or view.arguments["kv_offloading_size"] is not None:
        return ()
    given = [config]
    if config.get("kv_connector") == "MultiConnector":
        inner = held(config, "kv_connector_extra_config").get("connectors")
        given = [each for each in inner if isinstance(each, Mapping)] if isinstance(inner, list) else []
    if any(each.get("kv_connector_module_path") for each in given):
        return ()
    return tuple(name for each in given if isinstance(name := each.get("kv_connector"), str))


def _without(view: EngineView) -> str | None:
    """Name a connector that turns the manager off."""
    found = catalog.engine_models(view.engine, view.pool.deployment.version)
    never = {each.name for each in found.kv_connectors if not each.hybrid} - OPEN if found else NEVER
    return next((name for name in _configured(view) if name in never), None)


def _turned_off(*names: str) -> Past:
    def finds(view: EngineView) -> Found:
        given = next((each for each in _configured(view) if not names or each in names), None)
        if given is None or view.arguments[SWITCH] is False or not _has_both(view):
            return None
        return _message(given)

    until, since = ("0.21.1", "0.18.0") if names else ("0.18.1", "0.13.0")
    source = "vllm-project/vllm issue 49537"
    return Past("vllm", until, source, finds, FLAG, FIX, since, "memory")


def _message(name: str) -> str:
    return f"{name} turns the hybrid KV cache manager off, which the model's recurrent state needs"


TABLE = (_turned_off(), _turned_off("MooncakeConnector"))


@rule(
    "DIS205",
    "connector-keeps-states",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.13.0"},
    source={"vllm": "vllm/v1/core/kv_cache_planning.py:815 (0.33.0)"},
    at="memory",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Look for the switch, and for a connector that turns the manager off."""
    if not _has_both(view):
        return
    name, off = _without(view), view.arguments[SWITCH]
    known = reaches(view.pool.deployment.version, KNOWN)
    if off is True and known:
        message = "the model's recurrent state needs the hybrid KV cache manager"
        yield Violation(message, view.path(SWITCH), "leave it on")
    elif name is not None and off is None:
        yield Violation(_message(name), view.path(FLAG), FIX)
    elif name is not None and known:
        source = "vllm/distributed/kv_transfer/kv_connector/factory.py:56 (0.33.0)"
        message = f"{name} does not go with the hybrid KV cache manager, which is asked for"
        yield Violation(message, view.path(FLAG), FIX, source)
    else:
        yield from refusals(view, TABLE)
