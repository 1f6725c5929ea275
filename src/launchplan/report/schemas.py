"""JSON Schemas of the files that people write, made from the models that read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from launchplan.recipe.cluster import Cluster
from launchplan.recipe.schema import FORMAT_VERSION, Recipe

if TYPE_CHECKING:
    from pydantic import BaseModel

FileKind = Literal["recipe", "cluster"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MODELS: Mapping[FileKind, type[BaseModel]] = {"recipe": Recipe, "cluster": Cluster}


def file_schema(kind: FileKind) -> dict[str, Any]:
    """Build the JSON Schema (draft 2020-12) of recipe or cluster files.

    It accepts what the models accept and shows editors what a key means; unknown keys are refused.
    """
    schema = _MODELS[kind].model_json_schema()
    sections = {name: _section(section) for name, section in schema.pop("$defs").items()}
    head = {"$schema": _DIALECT, "$id": f"urn:launchplan:{kind}:{FORMAT_VERSION}"}
    return {**head, **_section(schema), "$defs": sections}


def _section(section: dict[str, Any]) -> dict[str, Any]:
    if "properties" not in section:
        return section
    properties = {name: _key(node) for name, node in section["properties"].items()}
    return {**section, "description": _one_line(section["description"]), "properties": properties}


def _key(node: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in node.items() if name != "title"}  # only repeats the key
    if "description" in kept:
        kept["description"] = _one_line(kept["description"])
    if not isinstance(kept.get("default"), bool | int | float | str):
        kept.pop("default", None)  # a section's or a missing value's default is no text to insert
    return _without_other_names(kept)


def _without_other_names(node: dict[str, Any]) -> dict[str, Any]:
    """Refuse the names that a pattern does not allow, as the models do."""
    return {**node, "additionalProperties": False} if "patternProperties" in node else node


def _one_line(text: str) -> str:
    """Undo the line breaks that docstrings have for our source code's sake."""
    return " ".join(text.split())
