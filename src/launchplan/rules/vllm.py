"""What the rules share that vLLM enforces on its own command line."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from launchplan import catalog
from launchplan.catalog import EngineJson, EngineModels, is_same_release
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.settings.reading import mapping
from launchplan.engines.vllm.view import VllmView
from launchplan.finding import Severity
from launchplan.rules.rule import ERROR, Enforced, Rule, Violation, rule

SINCE = "0.33.0"
"""The release whose source these rules were read in; nothing is said of older ones."""
PLUGINS = {"gguf": "vllm-gguf-plugin", "bitsandbytes": "vllm-bnb-plugin"}
"""Formats that left vLLM (0.24.0, 0.28.0) and the plug-ins that bring them (pull requests 39612, 43529)."""
VllmCheck = Callable[[VllmView], Iterator[Violation]]


def vllm_rule(
    code: str,
    name: str,
    *,
    source: str,
    at: Enforced = "config",
    severity: Severity = ERROR,
    about: Iterable[str] = (),
) -> Callable[[VllmCheck], Rule]:
    """Make a rule of vLLM alone; `source` is a place under `vllm/`.

    `about` names the flags without which there is nothing to look at, so that most launches pass by.
    """
    made = rule(
        code,
        name,
        severity=severity,
        engines=("vllm",),
        since={"vllm": SINCE},
        source={"vllm": f"vllm/{source} ({SINCE})"},
        at=at,
    )

    wanted = frozenset(about)

    def wrap(check: VllmCheck) -> Rule:
        @functools.wraps(check)
        def run(view: VllmView) -> Iterator[Violation]:
            quiet = wanted and wanted.isdisjoint(view.arguments.given)
            return iter(()) if quiet or not view.settings.known else check(view)

        return made(run)

    return wrap


def settled(view: EngineView) -> VllmView | None:
    """Give the view of a vLLM whose own resolution is known, None for other engines and older versions."""
    return view if isinstance(view, VllmView) and view.settings.known else None


def refuse(
    view: VllmView, name: str, message: str, fix: str | None = None, *, source: str | None = None
) -> Violation:
    """Make a violation that stands at a flag, or at an environment variable (in capitals)."""
    path = ("env", name) if name.isupper() else view.path(name)
    return Violation(message, path, fix, f"vllm/{source} ({SINCE})" if source else None)


def models(view: VllmView) -> EngineModels:
    """Give the classes and methods of the version; only for a view whose settings are known."""
    found = catalog.engine_models(view.engine, view.pool.deployment.version)
    if found is None:
        raise LookupError(view.pool.deployment.version)
    return found


def lists_all(facts: EngineModels | EngineJson, view: VllmView) -> bool:
    """Tell whether what facts do not list is missing in the version: a build or later release may have it."""
    return is_same_release(view.pool.deployment.version, facts.version)


def names_are_known(view: VllmView) -> bool:
    """Tell whether names that these rules list are all of the version's: it is the release that was read."""
    return is_same_release(view.pool.deployment.version, SINCE)


def held(config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Give the mapping under a key of a JSON flag, an empty one where there is none."""
    found = config.get(name)
    return found if isinstance(found, Mapping) else {}


def connectors(view: VllmView) -> tuple[str, ...]:
    """List the KV connectors that are configured, directly or under `MultiConnector`."""
    config = mapping(view, "kv_transfer_config")
    own = config.get("kv_connector")
    names = [own] if isinstance(own, str) else []
    if own == "MultiConnector":
        children = held(config, "kv_connector_extra_config").get("connectors")
        inner = (
            [child for child in children if isinstance(child, Mapping)] if isinstance(children, list) else []
        )
        names += [child["kv_connector"] for child in inner if isinstance(child.get("kv_connector"), str)]
    return tuple(names)
