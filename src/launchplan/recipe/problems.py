"""Turn pydantic's complaints into findings with a place and a cure."""

from __future__ import annotations

import types
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from launchplan.finding import Finding, KeyPath, Location, dotted
from launchplan.source import Document, problem
from launchplan.units import choice_text, decimal, plural

_TYPE_WORDS = {
    "string_type": "a string",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a list",
}


def problems_of(error: ValidationError, document: Document, schema: type[BaseModel]) -> tuple[Finding, ...]:
    """List one finding for each distinct place that pydantic complains about."""
    found: dict[KeyPath, Finding] = {}
    details = error.errors(include_url=False, include_context=True)
    # Of a union's branches the one that came furthest says what was meant.
    for detail in sorted(details, key=lambda item: -len(_existing(item["loc"], document.data))):
        path = _existing(detail["loc"], document.data)
        finding = _one(detail, path, document, schema)
        if not any(
            finding.path == other.path or _covers(finding.path, other.path) for other in found.values()
        ):
            found[finding.path] = finding
    return tuple(sorted(found.values(), key=_order))


def _order(finding: Finding) -> tuple[int, int]:
    place = finding.location or Location("")
    return place.line or 0, place.column or 0


def _covers(path: KeyPath, other: KeyPath) -> bool:
    return len(path) < len(other) and other[: len(path)] == path


def _existing(loc: tuple[int | str, ...], data: Any) -> KeyPath:
    """Keep the parts of pydantic's location that are keys of the data; tags of unions are not."""
    path: list[str | int] = []
    for part in loc:
        match data:
            case dict() if part in data:
                data = data[part]
            case list() if isinstance(part, int) and part < len(data):
                data = data[part]
            case _:
                continue
        path.append(part)
    return tuple(path)


def _one(detail: ErrorDetails, path: KeyPath, document: Document, schema: type[BaseModel]) -> Finding:
    kind = detail["type"]
    value = detail["input"]
    written = document.written.get(path)
    if kind == "extra_forbidden":
        return _unknown_key(path, document, schema)
    if kind == "missing":
        name = str(detail["loc"][-1])
        return _missing(name, path, document, schema)
    place = document.locate(path, key="[key]" in detail["loc"])
    if kind in _TYPE_WORDS:
        shown = _shown(value, written)
        message = f"{_name(path)} is {shown}, not {_TYPE_WORDS[kind]}"
        return problem("REC006", message, place, path, _type_cure(kind, value, written, path))
    if kind == "literal_error":
        return _choice(value, path, document, schema)
    if kind == "string_pattern_mismatch":
        message = f"{_name(path)} is {_shown(value, written)}, which has characters that cannot stand there"
        return problem("REC008", message, place, path, _pattern_cure(path))
    if kind in {"too_short", "too_long"}:
        return problem("REC008", _count(detail, path), place, path)
    message = f"{_name(path)} is {_shown(value, written)}; it should be {_limit(detail['msg'])}"
    return problem("REC008", message, place, path)


def _count(detail: ErrorDetails, path: KeyPath) -> str:
    limits = detail.get("ctx", {})
    least = "min_length" in limits
    wanted = f"at least {limits['min_length']}" if least else f"at most {limits['max_length']}"
    return f"{_name(path)} has {plural(limits['actual_length'], 'entry', 'entries')}; it should have {wanted}"


_LIMITS = (
    ("be greater than or equal to", "at least"),
    ("be less than or equal to", "at most"),
    ("be greater than", "more than"),
    ("be less than", "less than"),
    ("have at least 1 character", "not empty"),
)


def _limit(message: str) -> str:
    text = message.removeprefix("Input should ").removeprefix("String should ").removeprefix("Value should ")
    for theirs, ours in _LIMITS:
        if text.startswith(theirs):
            return ours + text.removeprefix(theirs)
    return text[:1].lower() + text[1:]


def _name(path: KeyPath) -> str:
    return dotted(path) or "the file"


def _shown(value: object, written: str | None) -> str:
    match value:
        case None:
            return "empty"
        case bool():
            return written or str(value).lower()
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case str():
            return f"'{value[:60]}'"
        case _:
            return written or str(value)


def _type_cure(kind: str, value: object, written: str | None, path: KeyPath) -> str | None:
    if value is None:
        return f"give {path[-1] if path else 'the file'} a value, or remove the key"
    if kind == "string_type" and not isinstance(value, (dict, list)):
        return f'write "{value if written is None else written}" in quotes'
    if kind in {"int_type", "float_type", "int_from_float"} and isinstance(value, str):
        digits = value.replace("_", "").replace(",", "").strip()
        if (number := decimal(digits.removeprefix("-"))) is not None:
            return f"write {'-' if digits.startswith('-') else ''}{number}"
        return "write digits alone, such as 262144"
    if kind == "bool_type" and isinstance(value, str):
        words = {"no": "false", "off": "false", "yes": "true", "on": "true"}
        return f"write {words[value.lower()]}" if value.lower() in words else "write true or false"
    if kind in {"list_type", "tuple_type"}:
        return f"write [{written}]" if written else "write a list"
    if kind in {"dict_type", "model_type", "model_attributes_type"}:
        return "write 'key: value' lines below it"
    return None


def _pattern_cure(path: KeyPath) -> str | None:
    if len(path) > 1 and path[-2] == "env":
        return "variable names have letters, digits and '_'"
    if path[:1] == ("paths",):
        return "write an absolute path, which begins with /"
    if path[:2] == ("container", "mounts"):
        return "write /host:/container, or /host:/container:ro"
    if path[:2] == ("kubernetes", "node_selector"):
        return (
            "labels have up to 63 letters, digits, '-', '_' and '.', and a name may begin with a domain and /"
        )
    return {
        "image": "write name:tag or name@digest, without blanks",
        "router_image": "write name:tag or name@digest, without blanks",
        "namespace": "use lower-case letters, digits and '-'",
        "gateway": "use lower-case letters, digits, '-' and '.'",
        "model_claim": "use lower-case letters, digits, '-' and '.'",
        "token_secret": "use lower-case letters, digits, '-' and '.'",
        "gpu_resource": "write domain/name, such as nvidia.com/gpu",
        "rdma_resource": "write domain/name, such as rdma/ib",
        "topology_key": "write the name of a node label, such as nvidia.com/gpu.clique",
        "model_claim_path": "write an absolute path, which begins with /",
        "checkpoint": "write a hub id or an absolute path; '~' is not expanded on the hosts",
        "name": "use letters, digits, '.', '_' and '-'",
        "checked": "write the day as 2026-08-15",
        "address": "write a host name or an IP address",
        "interface": "write the interface's name, such as eth0",
    }.get(str(path[-1]) if path else "")


def _missing(name: str, path: KeyPath, document: Document, schema: type[BaseModel]) -> Finding:
    section = dotted(path)
    message = f"'{name}' is missing" + (f" from {section}" if section else "")
    present = _at(document.data, path)
    near = get_close_matches(name, list(present), 1) if isinstance(present, dict) else []
    known = _fields(schema, path)
    at = (*path, name)
    if near and near[0] not in known:
        place = document.locate((*path, near[0]), key=True)
        return problem("REC007", message, place, at, f"'{near[0]}' looks like it")
    return problem("REC007", message, document.locate(path), at, f"add '{name}:'")


def _unknown_key(path: KeyPath, document: Document, schema: type[BaseModel]) -> Finding:
    name = str(path[-1])
    section = dotted(path[:-1])
    message = f"'{name}' is not a key of {section or 'this file'}"
    known = _fields(schema, path[:-1])
    flat = name.lower().replace("-", "_").lstrip("_")
    near = get_close_matches(flat, known, 1, 0.6)
    elsewhere = _home_of(flat, schema)
    if near:
        fix: str | None = f"did you mean '{near[0]}'?"
    elif elsewhere:
        fix = f"it belongs in '{elsewhere}'"
    else:
        fix = f"known here: {', '.join(known)}" if known else None
    return problem("REC005", message, document.locate(path, key=True), path, fix)


def _choice(value: object, path: KeyPath, document: Document, schema: type[BaseModel]) -> Finding:
    choices = [str(choice) for choice in _choices(schema, path)]
    near = get_close_matches(str(value), choices, 1, 0.5) if isinstance(value, str) else []
    fix = f"did you mean {near[0]}?" if near else None
    shown = _shown(value, document.written.get(path))
    return problem(
        "REC008",
        f"{_name(path)} is {shown}; it should be {choice_text(choices)}",
        document.locate(path),
        path,
        fix,
    )


def _at(data: Any, path: KeyPath) -> Any:
    for part in path:
        data = data[part]
    return data


def _types(annotation: Any) -> list[Any]:
    """Take unions and `Annotated` apart."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _types(get_args(annotation)[0])
    if origin in {Union, types.UnionType}:
        return [one for part in get_args(annotation) for one in _types(part)]
    return [annotation]


def _annotations(schema: type[BaseModel], path: KeyPath) -> list[Any]:
    """Find the possible types of the value at a path."""
    current: list[Any] = [schema]
    for part in path:
        following: list[Any] = []
        for one in current:
            arguments = get_args(one)
            if isinstance(one, type) and issubclass(one, BaseModel) and part in one.model_fields:
                following += _types(one.model_fields[str(part)].annotation)
            elif get_origin(one) in {list, tuple} or (get_origin(one) in {dict, Mapping} and arguments):
                following += _types(arguments[-1])
        current = following
    return current


def _fields(schema: type[BaseModel], path: KeyPath) -> list[str]:
    return [
        name
        for one in _annotations(schema, path)
        if isinstance(one, type) and issubclass(one, BaseModel)
        for name in one.model_fields
    ]


def _choices(schema: type[BaseModel], path: KeyPath) -> list[object]:
    return [c for one in _annotations(schema, path) if get_origin(one) is Literal for c in get_args(one)]


def _home_of(name: str, schema: type[BaseModel]) -> str | None:
    """Name the section that has a key, when exactly that key stands at the wrong level."""
    if name in schema.model_fields:
        return "the top level"
    for section in schema.model_fields:
        if name in _fields(schema, (section,)):
            return section
    return None
