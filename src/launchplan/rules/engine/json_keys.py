"""A JSON flag with a key or a value that its configuration does not have.

## Why

vLLM reads the JSON of a flag into a typed configuration that refuses unknown keys, values of another type,
names that are none of its choices and numbers out of range. Most flags are read by the argument parser, so
nothing starts; `--speculative-config` a little later.

## Fix

Correct the key or the value; the nearest key is named.

## References

- vLLM 0.33.0 `vllm/engine/arg_utils.py:369`; keys of each configuration, with its line: launchplan's
  catalog (`engine_json`)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from launchplan import catalog
from launchplan.catalog.engine_json import EngineJson, JsonConfig, Key, is_of_type
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import lists_all, vllm_rule
from launchplan.rules.wording import shown
from launchplan.units import choice_text

Problem = tuple[str, str | None]


@vllm_rule("ENG202", "json-keys", source="engine/arg_utils.py:369", at="parse")
def check(view: VllmView) -> Iterator[Violation]:
    """Read each JSON value as its configuration does."""
    facts = catalog.engine_json(view.engine, view.pool.deployment.version)
    for dest in view.arguments.given if facts else ():
        flag, value = facts.flag(dest) if facts else None, view.arguments[dest]
        if facts is None or flag is None or value is None:
            continue
        config = facts.config(flag.config)
        reader = _Reader(facts, lists_all(facts, view))
        problem = reader.problem(config, value, dashes=flag.dest == "speculative_config")
        if problem is not None:
            message, fix = problem
            place = f"{config.source} (0.33.0)"
            name = flag.dest.replace("_", "-")
            yield Violation(f"{name} {message}", view.path(flag.dest), fix, place, flag.at)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads values as a release does."""

    facts: EngineJson
    complete: bool
    """Whether these are the facts of the version itself: another may have keys and choices of its own."""

    def problem(self, config: JsonConfig, value: Any, *, dashes: bool = False) -> Problem | None:
        if not isinstance(value, Mapping):
            return f"is {shown(value)}, not a mapping", "use JSON with keys"
        for written, inner in value.items():
            name = str(written).replace("-", "_") if dashes else str(written)
            key = config.key(name)
            if key is None and not self.complete:
                continue
            if key is None:
                near = get_close_matches(name, [each.name for each in config.keys], n=1)
                return f"has no key {shown(name)}", f"did you mean {near[0]}?" if near else "remove it"
            problem = self._of_key(key, inner)
            if problem is not None:
                return problem
        return None

    def _of_key(self, key: Key, value: Any) -> Problem | None:
        if value is None:
            wants = not key.nullable and (key.types or key.choices)
            return (f"{key.name} is null", "leave it out") if wants else None
        if key.config is not None and isinstance(value, Mapping):
            inner = self.problem(self.facts.config(key.config), value)
            return inner and (f"{key.name} {inner[0]}", inner[1])
        if (key.types or key.choices) and not _is_taken(key, value):
            may_be_new = bool(key.choices) and not self.complete
            return None if may_be_new else (f"{key.name} is {shown(value)}", _wanted(key))
        if isinstance(value, int | float) and not isinstance(value, bool):
            wanted = key.problem(value)
            return (f"{key.name} is {value:g}; it must be {wanted}", None) if wanted else None
        return None


def _is_taken(key: Key, value: Any) -> bool:
    return (isinstance(value, str | int) and value in key.choices) or any(
        is_of_type(value, kind) for kind in key.types
    )


def _wanted(key: Key) -> str | None:
    if key.choices:
        return f"use {choice_text(key.choices[:6])}"
    return f"use a value of type {choice_text(key.types)}"
