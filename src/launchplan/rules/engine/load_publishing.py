"""Load that is published where nobody can find it.

## Why

Routers learn from the KV events' description where load is published, so that `--load-publish-endpoint` needs
`--kv-events-config` with a publisher that is on, at an address that can be bound.

## Fix

Add `kv-events-config`, or remove `load-publish-endpoint`.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:437`-`:475`, `disaggregation/kv_events.py:140`, `:684`
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule
from launchplan.rules.wording import shown

NAME = "load_publish_endpoint"
ENDPOINT = "tcp://*:5557"
"""Where KV events are published when nobody says."""
CURE = "add kv-events-config, or remove load-publish-endpoint"
WILDCARDS = ("tcp://*:", "tcp://0.0.0.0:", "tcp://[::]:")


@sglang_rule("ENG374", "load-publishing", source="validation_hook.py:437")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for the events that say where load is published."""
    mode = (view.arguments[NAME] or "").strip()
    if not mode or mode.lower() == "off":
        return
    written = view.arguments["kv_events_config"]
    if not written:
        yield refuse(view, NAME, "load-publish-endpoint needs kv-events-config", CURE)
        return
    config = _read(written)
    if config is None:
        yield refuse(view, "kv_events_config", "kv-events-config is no JSON object", "write {...}")
        return
    endpoint = config.get("endpoint", ENDPOINT)
    if config.get("publisher", "null") == "null" or not endpoint:
        message = "load-publish-endpoint needs a publisher and an endpoint in kv-events-config"
        yield refuse(view, NAME, message, 'write {"publisher": "zmq"}')
    elif mode.lower() == "auto" and not str(endpoint).startswith(WILDCARDS):
        message = f"load-publish-endpoint auto needs a wildcard endpoint of KV events, not {shown(endpoint)}"
        yield refuse(view, NAME, message, f"use endpoint {ENDPOINT}")
    elif not str(endpoint).startswith("tcp://"):
        message = f"load-publish-endpoint needs a tcp:// endpoint of KV events, not {shown(endpoint)}"
        yield refuse(view, NAME, message, f"use endpoint {ENDPOINT}")


def _read(written: object) -> Mapping[str, Any] | None:
    if isinstance(written, str):
        try:
            written = json.loads(written)
        except ValueError:
            return None
    return written if isinstance(written, dict) else None
