"""Reference pages of recipe and cluster files, made from their JSON Schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

_REF = "#/$defs/"
_ANY = "JsonValue"


def reference_page(schema: Schema, title: str, intro: str, examples: Mapping[str, str]) -> str:
    """Write a Markdown page with every section's keys, types, defaults and meanings."""
    blocks = [f"# {title}", intro.strip()]
    for name, paths in _sections(schema):
        section = _definition(schema, name)
        blocks.append(f"## {', '.join(f'`{path}`' for path in paths) or 'The file'}")
        blocks.append(section["description"])
        blocks.append("\n".join(_table(section)))
        if name in examples:
            blocks.append(f"```yaml\n{examples[name]}```")
    return "\n\n".join(blocks) + "\n"


def _sections(schema: Schema) -> list[tuple[str, tuple[str, ...]]]:
    """List each section once, with the key paths where it first stands; the file itself comes first."""
    found: dict[str, tuple[str, ...]] = {schema["title"]: ()}
    queue = [schema["title"]]
    while queue:
        name = queue.pop(0)
        here: dict[str, tuple[str, ...]] = {}
        for key, node in _definition(schema, name)["properties"].items():
            for target, suffix in _references(node):
                if target not in found and "properties" in schema["$defs"][target]:
                    path = ".".join((*found[name][:1], key)) + suffix
                    here[target] = (*here.get(target, ()), path)
        found |= here
        queue += here
    order = list(schema["properties"])
    tops = {name: paths[0].split(".")[0].removesuffix("[]") for name, paths in found.items() if paths}
    return sorted(found.items(), key=lambda item: order.index(tops[item[0]]) if item[0] in tops else -1)


def _definition(schema: Schema, name: str) -> Schema:
    section: Schema = schema if name == schema["title"] else schema["$defs"][name]
    return section


def _references(node: Schema, suffix: str = "") -> Iterator[tuple[str, str]]:
    if "$ref" in node:
        yield node["$ref"].removeprefix(_REF), suffix
    for part in node.get("anyOf", ()):
        yield from _references(part, suffix)
    if "items" in node:
        yield from _references(node["items"], "[]")


def _table(section: Schema) -> Iterator[str]:
    yield "| key | type | default | meaning |"
    yield "|---|---|---|---|"
    required = section.get("required", ())
    for key, node in section["properties"].items():
        default = "required" if key in required else _default(node)
        yield f"| `{key}` | {_type(node)} | {default} | {_cell(node.get('description', ''))} |"


def _default(node: Schema) -> str:
    return f"`{json.dumps(node['default'])}`" if "default" in node else ""


def _type(node: Schema) -> str:
    if "$ref" in node:
        return _type_of_reference(node["$ref"].removeprefix(_REF))
    if "anyOf" in node:
        return " or ".join(_type(part) for part in node["anyOf"] if part.get("type") != "null")
    if "const" in node or "enum" in node:
        return ", ".join(f"`{value}`" for value in node.get("enum", [node.get("const")]))
    return _plain_type(node)


def _plain_type(node: Schema) -> str:
    match node.get("type"):
        case "array":
            return f"list of {_type(node['items'])}"
        case "object":
            return _mapping_type(node)
        case "integer" | "number":
            return {"integer": "whole number", "number": "number"}[node["type"]] + _range(node)
        case "boolean":
            return "true or false"
        case _:
            return "string"


def _type_of_reference(name: str) -> str:
    return "any value" if name == _ANY else "section"


def _mapping_type(node: Schema) -> str:
    patterns = node.get("patternProperties")
    inner = next(iter(patterns.values())) if patterns else node.get("additionalProperties")
    return f"mapping to {_type(inner)}" if isinstance(inner, Mapping) else "mapping"


def _range(node: Schema) -> str:
    low, above, high = node.get("minimum"), node.get("exclusiveMinimum"), node.get("maximum")
    start = f">= {low}" if low is not None else f"> {above}" if above is not None else ""
    # A thousand million only keeps nonsense out; it is no limit that anybody meets.
    end = f"<= {high}" if high is not None and high < 1_000_000_000 else ""
    text = ", ".join(filter(None, (start, end)))
    return f" {text}" if text else ""


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
