"""Recipe values as flags: one way for typed keys and raw `args` of both engines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from launchplan.catalog import EngineFacts
from launchplan.catalog import Flag as CatalogFlag
from launchplan.engines.launch import Flag, Value, text
from launchplan.finding import KeyPath
from launchplan.resolve import ENGINES, ResolvedPool


def scalar_text(value: JsonValue) -> str:
    """Write a value as engines' argument parsers read it; a mapping or a list becomes compact JSON."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case dict() | list():
            return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        case _:
            return json.dumps(value)


def raw_flag(name: str, value: JsonValue, facts: EngineFacts | None, path: KeyPath) -> Flag | None:
    """Make the flag of one entry of `args`.

    `true` is a bare switch, `false` its `--no-` form, null leaves the flag out, a list gives several values
    where the engine takes several, and JSON where it doesn't.
    """
    known = (facts.find(f"--{name}") or facts.find(f"-{name}")) if facts is not None else None
    spelling = known.name if known and "." not in name else f"--{name}"
    takes_value = known is not None and known.kind != "switch"
    match value:
        case None:
            return None
        case bool() if not takes_value:
            return Flag(spelling if value else _negated(spelling, known), (), path)
        case list() if known is not None and known.kind == "list":
            return Flag(spelling, tuple(text(scalar_text(item)) for item in value), path)
        case _:
            return Flag(spelling, (text(scalar_text(value)),), path)


def _negated(spelling: str, known: CatalogFlag | None) -> str:
    off = known.off_names if known is not None else ()
    plain = f"--no-{spelling.removeprefix('--')}"
    return plain if plain in off or not off else off[0]


def argument_flags(pool: ResolvedPool) -> Iterator[Flag]:
    """Make the flags of a pool's `args`, in the recipe's order."""
    for name, value in pool.args.items():
        flag = raw_flag(name, value, pool.deployment.facts, pool.arg_paths[name])
        if flag is not None:
            yield flag


def serve_flags(pool: ResolvedPool, table: Mapping[str, str]) -> Iterator[Flag]:
    """Make the flags of the `serve` keys that a table maps to a flag with one value."""
    for key, name in table.items():
        value = getattr(pool.serve, key)
        if value is not None:
            yield Flag(name, (text(scalar_text(value)),), pool.path("serve", key))


def for_engine(options: Mapping[str, JsonValue], engine: str) -> dict[str, JsonValue]:
    """Take the options that hold for an engine: unscoped ones, then those under the engine's name."""
    plain = {k: v for k, v in options.items() if not (k in ENGINES and isinstance(v, dict))}
    scoped = options.get(engine)
    return plain | (scoped if isinstance(scoped, dict) else {})


def parser_of(pool: ResolvedPool, kind: str) -> str | None:
    """Name the parser for `tools` or `reasoning`: the recipe's, else the catalog's for this engine."""
    own = pool.serve.tool_parser if kind == "tools" else pool.serve.reasoning_parser
    if own is not None:
        return own
    if kind not in pool.serve.features or pool.deployment.model is None:
        return None
    parsers = pool.deployment.model.parsers.get(pool.deployment.engine)
    if parsers is None:
        return None
    return parsers.tools if kind == "tools" else parsers.reasoning


def flag(name: str, value: object, path: KeyPath = ()) -> Flag:
    """Make a flag with one plain value."""
    return Flag(name, (text(str(value)),), path)


def site_flag(name: str, value: Value, path: KeyPath = ()) -> Flag:
    """Make a flag whose value the site may have to give."""
    return Flag(name, (value,), path)
