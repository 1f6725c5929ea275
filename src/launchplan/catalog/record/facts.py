"""Make an engine's fact file out of what the probe found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from launchplan.catalog.engines import EngineFacts, Flag, Variable
from launchplan.errors import CatalogError

PROBE = Path(__file__).parent / "probe.py"
"""The program that an engine's own Python runs; its argument is the engine's name."""
_HEAD = ("engine", "version", "source", "checked", "notes", "unconfirmed")


def facts_of(answer: str, checked: str) -> EngineFacts:
    """Read the probe's answer; `checked` is the day it was asked, as ISO date.

    Raises CatalogError when the answer is not one.
    """
    try:
        found = json.loads(answer)
        data = {
            "engine": found["engine"],
            "version": found["version"],
            "source": f"the parser of {found['engine']} {found['version']} as installed, run",
            "checked": checked,
            "flags": [_flag(each) for each in found["flags"]],
            "variables": [_variable(each) for each in found["variables"]],
        }
        return EngineFacts.model_validate_json(json.dumps(data))
    except (ValueError, KeyError, TypeError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else error
        raise CatalogError(f"the engine's flags could not be read: {first}") from error


def _flag(found: Mapping[str, Any]) -> dict[str, Any]:
    names = sorted(found["names"], key=lambda name: not name.startswith("--"))[:1]
    names += [name for name in found["names"] if name not in names]
    if found["help"]:
        return {"names": names, "dest": found["dest"], "kind": "switch", "action": "help"}
    kept = ("dest", "kind", "action", "type", "choices", "value_names", "default", "replaced_by")
    flag = {key: found[key] for key in kept if found[key] is not None}
    flag |= {key: True for key in ("nullable", "required", "deprecated") if found[key]}
    if found["kind"] == "list" and found["nargs"] == "*":
        flag["may_be_empty"] = True
    return {"names": names} | flag


def _variable(found: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if value is not None}


def facts_text(facts: EngineFacts) -> str:
    """Write facts as their file: one line a flag, one line a variable."""
    data = facts.model_dump(mode="json", exclude_defaults=True)
    head = yaml.safe_dump({key: data[key] for key in _HEAD if key in data}, sort_keys=False, width=1000)
    lines = [head, "flags:\n", *(f"  - {_line(flag)}\n" for flag in facts.flags)]
    if facts.variables:
        lines += ["variables:\n", *(f"  - {_line(variable)}\n" for variable in facts.variables)]
    return "".join(lines)


def _line(fact: Flag | Variable) -> str:
    data = fact.model_dump(mode="json", exclude_defaults=True)
    return yaml.safe_dump(
        data, sort_keys=False, default_flow_style=True, width=10**6, allow_unicode=True
    ).strip()
