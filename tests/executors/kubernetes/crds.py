"""Custom resources as JSON Schema, as strict as a server with field validation is.

The definitions are those of their projects and are not part of this one: they are read from a folder
`shared/schemas` beside the checkout, or the one that LAUNCHPLAN_SCHEMAS names, when it is there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_KEPT = frozenset(
    {
        *("type", "required", "enum", "pattern", "format", "nullable", "uniqueItems"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("minLength", "maxLength", "minItems", "maxItems"),
    }
)
Schema = dict[str, Any]


def folder() -> Path | None:
    """Find the folder of definitions; None where there is none."""
    named = os.environ.get("LAUNCHPLAN_SCHEMAS")
    beside = Path(__file__).parents[4] / "shared" / "schemas"
    found = Path(named) if named else beside
    return found if found.is_dir() else None


@cache
def validators() -> dict[tuple[str, str], jsonschema.Draft7Validator]:
    """Make the validator of each apiVersion and kind."""
    found = {}
    where = folder()
    for path in sorted(where.glob("*.yaml")) if where else []:
        spec = yaml.load(path.read_text(), Loader=LOADER)["spec"]  # noqa: S506 - a safe loader
        for version in spec["versions"]:
            schema = strict(version["schema"]["openAPIV3Schema"])
            schema["properties"]["metadata"] = {"type": "object"}
            key = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
            found[key] = jsonschema.Draft7Validator(schema)
            for name, part in _embedded(schema):
                found[name] = jsonschema.Draft7Validator(part)
    return found


def _embedded(schema: Schema) -> Iterator[tuple[tuple[str, str], Schema]]:
    """Give the HTTPRoute's spec, which an LLMInferenceService holds."""
    try:
        route = schema["properties"]["spec"]["properties"]["router"]["properties"]["route"]["properties"]
        spec = route["http"]["properties"]["spec"]
    except KeyError:
        return
    yield ("gateway.networking.k8s.io/v1", "HTTPRoute"), {"type": "object", "properties": {"spec": spec}}


def strict(schema: Schema) -> Schema:
    """Turn a structural schema into one that refuses keys which it does not name."""
    made: Schema = {key: value for key, value in schema.items() if key in _KEPT}
    either = bool(schema.get("x-kubernetes-int-or-string"))
    if either:
        made["anyOf"] = [{"type": "integer"}, {"type": "string"}]
    if "properties" in schema:
        made["properties"] = {name: strict(part) for name, part in schema["properties"].items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields") and "additionalProperties" not in schema:
            made["additionalProperties"] = False
    for key in ("items", "additionalProperties"):
        if key in schema:
            made[key] = strict(schema[key]) if isinstance(schema[key], dict) else schema[key]
    if not either:
        made |= {key: [strict(part) if "properties" in part else part for part in schema[key]]
                 for key in ("anyOf", "allOf", "oneOf") if key in schema}  # fmt: skip
    if made.pop("nullable", False) and "type" in made:
        made["type"] = [made["type"], "null"]
    return made


def errors(document: dict[str, Any]) -> list[str] | None:
    """List what a definition says of an object; None for one without definition."""
    validator = validators().get((document["apiVersion"], document["kind"]))
    if validator is None:
        return None
    return [f"{error.json_path}: {error.message[:120]}" for error in validator.iter_errors(document)]
