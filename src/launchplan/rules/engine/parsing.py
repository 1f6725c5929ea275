"""Read flag values as the engines' argument parsers do, without running them."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from pydantic import JsonValue

from launchplan.catalog import Flag
from launchplan.catalog.engines import ValueType
from launchplan.engines.convert import converter
from launchplan.engines.flags import scalar_text
from launchplan.rules.given import token_count
from launchplan.rules.wording import shown
from launchplan.units import choice_text

Problem = tuple[str, str | None]
"""What is wrong with a value, after the flag's name, and the cure."""
_NEGATIVE = re.compile(r"-\d+|-\d*\.\d+")
_BOOLEANS = frozenset({"true", "false", "1", "0", "yes", "no", "y", "n", "t", "f", "on", "off"})


def problem_of(flag: Flag, value: JsonValue) -> Problem | None:
    """Say what the parser has against a raw value, if anything; null leaves the flag out."""
    if value is None:
        return None
    if flag.kind == "switch":
        return _switch_problem(flag, value)
    if isinstance(value, bool) and not _takes_words(flag):
        return f"wants a value, not {scalar_text(value)}", _wanted(flag)
    if isinstance(value, list) and flag.kind == "list":
        problems = (_scalar_problem(flag, scalar_text(item)) for item in value)
        return next((problem for problem in problems if problem), None)
    return _scalar_problem(flag, scalar_text(value))


def _switch_problem(flag: Flag, value: JsonValue) -> Problem | None:
    if isinstance(value, bool):
        if value or flag.negatable:
            return None
        return "has no form that switches it off", "remove it: it is off by default"
    return f"is a switch and takes no value, not {shown(scalar_text(value))}", "use true or false"


def _takes_words(flag: Flag) -> bool:
    return (
        flag.type in {None, "str", "bool", "opaque", "folded-str", "json-text", "json-or-str", "json-or-path"}
        and not flag.choices
    )


def _scalar_problem(flag: Flag, text: str) -> Problem | None:
    word = shown(text)
    if text.startswith("-") and not _NEGATIVE.fullmatch(text) and " " not in text:
        return f"would take {word} for another flag", "values can't begin with a dash"
    if flag.nullable and text == "None":
        return None
    reader = _READERS.get(flag.type or "")
    if reader is not None and not reader(text):
        return f"is given {word}", _wanted(flag)
    if flag.choices and not _is_choice(flag, text):
        return f"has no choice {word}", nearest_choice(flag, text)
    return None


def _is_choice(flag: Flag, text: str) -> bool:
    folded = text.lower().replace("-", "_") if flag.type == "folded-str" else text
    return folded in {str(choice) for choice in flag.choices or ()}


def nearest_choice(flag: Flag, text: str) -> str:
    """Suggest a choice of a flag, the nearest one or all."""
    known = [str(choice) for choice in flag.choices or () if choice is not None]
    near = get_close_matches(text, known, n=1, cutoff=0.75)
    if near:
        return f"did you mean {near[0]}?"
    return f"use {choice_text(known)}" if len(known) <= 10 else f"use one of {', '.join(known[:9])} ..."


def _wanted(flag: Flag) -> str | None:
    if flag.choices:
        return f"use {choice_text([c for c in flag.choices if c is not None][:10])}"
    return _WANTED.get(flag.type or "", "give it a value")


def _reads(convert: Callable[[str], object]) -> Callable[[str], bool]:
    def reads(text: str) -> bool:
        try:
            convert(text)
        except ValueError:
            return False
        return True

    return reads


def _is_human(text: str) -> bool:
    return token_count(text) is not None or _reads(int)(text)


def _converts(kind: ValueType) -> Callable[[str], bool]:
    def converts(text: str) -> bool:
        try:
            converter(kind)(text)
        except (argparse.ArgumentTypeError, ValueError):
            return False
        return True

    return converts


def _json_or_text(text: str) -> bool:
    return not text.lstrip().startswith(("{", "[")) or _reads(json.loads)(text)


_READERS: Mapping[str, Callable[[str], bool]] = {
    "int": _reads(int),
    "float": _reads(float),
    "human-int": _is_human,
    "human-int-or-auto": lambda text: text == "auto" or _is_human(text),
    "si-int": _converts("si-int"),
    "json": _reads(json.loads),
    "json-object": _converts("json-object"),
    "lora-module": _converts("lora-module"),
    "json-or-str": _json_or_text,
    "json-or-path": _json_or_text,
    "bool": lambda text: text.lower() in _BOOLEANS,
}
_WANTED = {
    "int": "use a whole number",
    "float": "use a number",
    "human-int": "use a whole number, or 4k, 1.5M",
    "human-int-or-auto": "use a whole number, 4k, 1.5M or auto",
    "si-int": "use a whole number, or 4k, 1.5M, 4Ki",
    "json": "use a mapping, or JSON text",
    "json-object": "use a mapping, or the JSON text of one",
    "lora-module": "use name=path, or JSON with name and path",
    "json-or-str": "check the JSON",
    "json-or-path": "check the JSON",
    "bool": "use true or false",
}
