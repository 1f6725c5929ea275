"""Write what was read as a command line again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from launchplan.catalog import Flag
from launchplan.engines.arguments import Arguments


def printed(arguments: Arguments) -> list[str]:
    """Give the words that say the same, one spelling a flag: the model first, then the flags in their order.

    Values stand in their flag's word (`--seed=-1`), so that none is taken for a flag; what a flag that takes
    several holds stands behind it.
    """
    model = [flag for flag in arguments.facts.flags if not flag.names]
    words = [str(arguments[flag.dest]) for flag in model if arguments[flag.dest] is not None]
    for dest in arguments.given:
        flag = arguments.facts.flag_of(dest)
        if flag is not None and flag.names:
            words += _words(flag, arguments[dest])
    return words


def _words(flag: Flag, value: Any) -> Iterator[str]:
    if flag.kind == "switch":
        yield flag.name if value else next(iter(flag.off_names), flag.name)
    elif flag.action == "append":
        for each in value:
            yield from (
                [flag.name, *map(_text, each)] if flag.kind == "list" else [f"{flag.name}={_text(each)}"]
            )
    elif flag.kind == "list":
        yield from [flag.name, *map(_text, value)]
    elif flag.kind == "optional-value" and value is True:
        yield flag.name
    else:
        yield f"{flag.name}={_value(flag, value)}"


def _value(flag: Flag, value: Any) -> str:
    if value is None and flag.nullable:
        return "None"
    if flag.type in {"json", "json-object"} or isinstance(value, dict):
        return json.dumps(value)
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "None" if value is None else str(value)
