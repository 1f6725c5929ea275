"""Recipe values as flags: one way for typed keys and raw `args` of both engines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from launchplan.catalog import EngineFacts
from launchplan.catalog import Flag as CatalogFlag
from launchplan.engines.launch import Flag, Value, text
from launchplan.finding import KeyPath
from launchplan.resolve import ENGINES, ResolvedPool

_NEGATIVE_DECIMAL = re.compile(r"-\d*\.\d+")
API_FLAGS = frozenset({"host", "port", "uds", "api_server_count"})
"""Flags of the API server by the parser's name; vLLM refuses the last one beside `--headless`."""


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

    `true` is a bare switch, `false` its opposite spelling or, where it has none, nothing; null leaves the
    flag out; a list gives several values where the engine takes several, and JSON where it doesn't. A dotted
    name sets one key of a JSON value and always has a value.
    """
    stem, dot, rest = name.partition(".")
    known = known_flag(facts, stem)
    spelling = f"{_spelling(known, stem)}{dot}{rest}"
    switch = not dot and (known is None or known.kind == "switch")
    match value:
        case None:
            return None
        case bool() if switch:
            switched = spelling if value else _opposite(spelling, known)
            return Flag(switched, (), path) if switched else None
        case True if not dot and known is not None and known.kind == "optional-value":
            return Flag(spelling, (), path)
        case list() if known is not None and known.kind == "list" and not dot:
            return Flag(spelling, tuple(text(scalar_text(item)) for item in value), path)
        case list() if known is not None and known.action == "append" and not dot and value:
            words = [word for item in value for word in (spelling, scalar_text(item))]
            return Flag(spelling, tuple(text(word) for word in words[1:]), path)
        case _:
            return _with_value(spelling, scalar_text(value), path)


def _with_value(spelling: str, value: str, path: KeyPath) -> Flag:
    """Make a flag with one value; vLLM takes a negative decimal that stands alone for a dotted key."""
    if _NEGATIVE_DECIMAL.fullmatch(value):
        return Flag(f"{spelling}={value}", (), path)
    return Flag(spelling, (text(value),), path)


def known_flag(facts: EngineFacts | None, name: str) -> CatalogFlag | None:
    """Find a flag by its name without dashes in front, a long one first."""
    return (facts.find(f"--{name}") or facts.find(f"-{name}")) if facts is not None else None


def _spelling(known: CatalogFlag | None, name: str) -> str:
    """Keep the spelling that switches a flag off, for it says the opposite of the flag's own name."""
    written = f"--{name}"
    return written if known is None or written in known.off_names else known.name


def _opposite(spelling: str, known: CatalogFlag | None) -> str | None:
    if known is None:
        return f"--no-{spelling.removeprefix('--')}"
    if spelling in known.off_names:
        return known.name
    plain = f"--no-{spelling.removeprefix('--')}"
    return plain if plain in known.off_names else next(iter(known.off_names), None)


def argument_flags(pool: ResolvedPool, node: int = 0) -> Iterator[Flag]:
    """Make the flags of a pool's `args`, in the recipe's order; a follower gets none that set its API up."""
    for name, value in pool.args.items():
        known = known_flag(pool.deployment.facts, name.partition(".")[0])
        if node and known is not None and known.dest in API_FLAGS:
            continue
        flag = raw_flag(name, value, pool.deployment.facts, pool.arg_paths[name])
        if flag is not None:
            yield flag


def raw_flags(pool: ResolvedPool) -> dict[str, JsonValue]:
    """Give the raw flags by the parser's destination; a name that it doesn't know keeps its own."""
    found: dict[str, JsonValue] = {}
    facts = pool.deployment.facts
    for name, value in pool.args.items():
        spelled = f"--{name}"
        flag = facts and (facts.find(spelled) or facts.find(f"-{name}"))
        if not flag:
            found[name.replace("-", "_")] = value
        elif spelled in flag.off_names and isinstance(value, bool):
            found[flag.dest] = not value
        else:
            found[flag.dest] = value
    return found


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
