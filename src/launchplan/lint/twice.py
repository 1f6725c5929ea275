"""Flags that one command gives twice."""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.catalog import EngineFacts, Flag
from launchplan.lint.found import Launch
from launchplan.lint.problems import Note

_SAID = {"store": "argparse: the last value wins"}


def given_twice(launch: Launch, facts: EngineFacts) -> Iterator[Note]:
    """Find flags that stand twice with different values; the parser takes the last one without a word."""
    first: dict[str, tuple[str, str | None]] = {}
    place, tokens = launch.start, launch.tokens
    while place < len(tokens):
        token = tokens[place]
        name, sign, value = token.text.partition("=")
        flag = facts.match(name) if name.startswith("-") and "." not in name else None
        if not isinstance(flag, Flag) or flag.action == "append" or token.unknown:
            place += 1
            continue
        given = value if sign else _value(launch, place, flag)
        if flag.kind == "switch":
            given = "off" if name in flag.off_names else "on"
        old = first.get(flag.dest)
        if old is not None and old[1] != given and given is not None:
            said = f" ({old[1]}, then {given})" if flag.kind != "switch" and old[1] is not None else ""
            message = f"{name} is given twice with different values{said}; the last one counts"
            yield Note("CMD108", message, token.start, "keep one of them", _SAID["store"])
        first[flag.dest] = (name, given)
        place += 1


def _value(launch: Launch, place: int, flag: Flag) -> str | None:
    values = []
    for token in launch.tokens[place + 1 :]:
        if token.unknown or (token.text.startswith("-") and not token.text[1:2].isdigit()):
            break
        values.append(token.text)
        if flag.kind != "list":
            break
    return " ".join(values) if values else None
