"""Read a command line as the engine's own argument parser does.

Both engines use Python's argparse with abbreviations on, so argparse itself is what reads here, filled from
the flag facts of a version. vLLM's rewriting that comes before it (underscores, `-O3`, dotted JSON keys,
`--model`) is in `engines.vllm.words`.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Any, NoReturn

from launchplan.catalog import EngineFacts, Flag
from launchplan.catalog.engines import ValueType


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command line, and the index of the word that it was written as."""

    text: str
    index: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the parser does not take a command line."""

    message: str
    index: int | None
    """Index of the word that it is about."""
    flag: Flag | None = None
    """The flag that it is about, when it is one of the version's."""
    unknown: str | None = None
    """The word that is no flag of this version."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The values of a command line, by the parser's name of each flag (`tensor_parallel_size`)."""

    facts: EngineFacts = field(repr=False)
    values: Mapping[str, Any]
    """Every value, defaults included."""
    given: Mapping[str, int]
    """Names of the flags that were written, with the index of the word."""
    refusal: Refusal | None = None
    unread: tuple[Word, ...] = ()
    """Words left out because no release near the asked one is known to have them."""

    def __getitem__(self, name: str) -> Any:
        """Return a value; None for a name that this version does not have."""
        return self.values.get(name)

    def __contains__(self, name: str) -> bool:
        """Tell whether a flag was written."""
        return name in self.given


class _RefusedError(Exception):
    """What argparse would print before it exits."""

    def __init__(self, message: str, action: argparse.Action | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.action = action


class _Parser(argparse.ArgumentParser):
    """argparse that raises instead of leaving the process."""

    def error(self, message: str) -> NoReturn:
        raise _RefusedError(message)

    def print_help(self, file: object = None) -> NoReturn:  # noqa: ARG002
        raise _RefusedError("asks for the help page, not for a server")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise _RefusedError(message or f"exit {status}")


def read_arguments(facts: EngineFacts, words: Sequence[Word]) -> Arguments:
    """Parse the words after the program and its subcommand.

    A command line that the engine's parser refuses gives its `refusal` and the values read so far.
    """
    parser, flags, defaults = _parser(facts)
    texts = [word.text for word in words]
    given = _given(facts, words)
    try:
        namespace = argparse.Namespace()
        vars(namespace).update(defaults)
        namespace, rest = parser.parse_known_args(texts, namespace)
    except argparse.ArgumentError as error:
        flag = flags.get(_destination(parser, error.argument_name))
        index = given.get(flag.dest) if flag else None
        return Arguments(facts, defaults, given, Refusal(error.message, index, flag))
    except _RefusedError as error:
        index, unknown = _ambiguous(error.message, words)
        return Arguments(facts, defaults, given, Refusal(error.message, index, None, unknown))
    refusal = None
    if rest:
        first = next((word for word in words if word.text == rest[0]), None)
        message = f"unrecognized arguments: {' '.join(rest)}"
        refusal = Refusal(message, first.index if first else None, None, rest[0])
    return Arguments(facts, defaults | vars(namespace), given, refusal)


def _given(facts: EngineFacts, words: Sequence[Word]) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        name = word.text.partition("=")[0]
        if not name.startswith("-"):
            continue
        flag = facts.match(name)
        if isinstance(flag, Flag):
            found[flag.dest] = word.index
    return found


def _ambiguous(message: str, words: Sequence[Word]) -> tuple[int | None, str | None]:
    written = re.match(r"ambiguous option: (\S+) could match", message)
    if written is None:
        return None, None
    word = next((word for word in words if word.text.startswith(written[1])), None)
    return (word.index if word else None), written[1]


def _destination(parser: argparse.ArgumentParser, name: str | None) -> str:
    first = (name or "").split("/")[0]
    action = parser._option_string_actions.get(first)  # noqa: SLF001 # argparse names the flag, not the action
    return action.dest if action else first


_PARSERS: dict[int, tuple[EngineFacts, _Parser, dict[str, Flag], dict[str, Any]]] = {}


def _parser(facts: EngineFacts) -> tuple[_Parser, dict[str, Flag], dict[str, Any]]:
    """Build a version's parser once; the facts are kept with it, so that their identity stays the key."""
    key = id(facts)
    if key not in _PARSERS:
        _PARSERS[key] = (facts, *_build_parser(facts))
    _, parser, flags, defaults = _PARSERS[key]
    return parser, flags, dict(defaults)


def _build_parser(facts: EngineFacts) -> tuple[_Parser, dict[str, Flag], dict[str, Any]]:
    parser = _Parser(prog=facts.engine, add_help=False, exit_on_error=False)
    defaults: dict[str, Any] = {}
    for flag in facts.flags:
        if flag.action == "help":
            parser.add_argument(*flag.names, action="help", dest=flag.dest, default=argparse.SUPPRESS)
            continue
        defaults[flag.dest] = flag.default
        _add(parser, flag)
    return parser, {flag.dest: flag for flag in facts.flags}, defaults


def _add(parser: argparse.ArgumentParser, flag: Flag) -> None:
    # The namespace holds the defaults already; None keeps argparse from looking at each of them again.
    options: dict[str, Any] = {"default": None if flag.names else argparse.SUPPRESS}
    if flag.kind == "switch":
        off = set(flag.off_names)
        on = [name for name in flag.names if name not in off]
        parser.add_argument(*on, action="store_true", dest=flag.dest, **options)
        if off:
            parser.add_argument(*sorted(off), action="store_false", dest=flag.dest, **options)
        return
    if flag.action == "append":
        options["action"] = "append"
    options["type"] = converter(flag.type, nullable=flag.nullable)
    if flag.choices is not None:
        options["choices"] = list(flag.choices)
    if flag.kind == "list":
        options["nargs"] = "*" if flag.may_be_empty else "+"
    elif flag.kind == "optional-value":
        options["nargs"] = "?"
        if flag.names:
            options["const"] = True
    if flag.names:
        parser.add_argument(*flag.names, dest=flag.dest, required=flag.required, **options)
    else:
        parser.add_argument(flag.dest, **options)


_MULTIPLIERS = {
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "K": 2**10,
    "M": 2**20,
    "G": 2**30,
    "T": 2**40,
}


def human_int(text: str) -> int:
    """Read `4k` as 4,000, `4K` as 4,096; `1.5m` is fine, `1.5M` is not (vllm/utils/argparse_utils.py)."""
    text = text.strip()
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kKmMgGtT])", text)
    if found is None:
        return int(text)
    number, suffix = found.groups()
    if suffix.isupper() and "." in number:
        raise argparse.ArgumentTypeError(
            f"{text}: no decimals before {suffix}; write {number}{suffix.lower()}"
        )
    return int(float(number) * _MULTIPLIERS[suffix])


def _human_int_or_auto(text: str) -> int:
    return -1 if text.strip() == "-1" or text.strip().lower() == "auto" else human_int(text)


def _si_int(text: str) -> int:
    # sglang/srt/utils/common.py:3394 (0.5.23)
    text = text.strip()
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)", text)
    if found is None:
        return int(text)
    number, suffix = found.groups()
    if len(suffix) == 1:
        return int(Decimal(number) * _MULTIPLIERS[suffix.lower()])
    if "." in number:
        raise argparse.ArgumentTypeError(f"{text}: no decimals before {suffix}; write {number}{suffix[0]}")
    return int(number) * _MULTIPLIERS[suffix[0].upper()]


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise argparse.ArgumentTypeError(f"not JSON: {error.msg} at column {error.colno}") from error


def _json_object(text: str) -> Any:
    # Numbers outside strings may be written as 80m (vllm/engine/arg_utils.py, 0.33.0).
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(
            r"\b\d+(?:\.\d+)?[kKmMgGtT]\b", lambda found: str(human_int(found[0])), parts[place]
        )
    value = _json("".join(parts))
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"{text} is no JSON object")
    return value


def _json_or_text(text: str) -> Any:
    return _json(text) if re.match(r"(?s)^\s*{.*}\s*$", text) else text


def _lora_module(text: str) -> str:
    # vllm/entrypoints/launchers/cli_args.py:LoRAParserAction (0.32.0)
    if text and ("=" not in text or "," in text):
        adapter = _json(text)
        if not isinstance(adapter, dict) or not {"name", "path"} <= set(adapter):
            raise argparse.ArgumentTypeError(f"{text} is neither name=path nor JSON with name and path")
    return text


def _truth(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise argparse.ArgumentTypeError(f"{text} is neither true nor false")
    return text.lower() == "true"


_CONVERTERS: dict[ValueType | None, Callable[[str], Any]] = {
    None: str,
    "str": str,
    "int": int,
    "float": float,
    "bool": _truth,
    "human-int": human_int,
    "human-int-or-auto": _human_int_or_auto,
    "si-int": _si_int,
    "json": _json,
    "json-object": _json_object,
    "json-or-path": str,
    "json-or-str": _json_or_text,
    "json-text": str,
    "folded-str": lambda text: text.lower().replace("-", "_"),
    "lora-module": _lora_module,
    "opaque": str,
}


_WORDS: dict[ValueType | None, str] = {
    "int": "whole number",
    "float": "number",
    "human-int": "whole number",
    "human-int-or-auto": "whole number",
    "si-int": "whole number",
}
"""What argparse calls a value in its complaint."""


@cache
def converter(kind: ValueType | None, *, nullable: bool = False) -> Callable[[str], Any]:
    """Give the function that reads a value; raises as argparse expects for a value that is none."""
    convert = _CONVERTERS[kind]

    def read(text: str) -> Any:
        return None if nullable and text in {"", "None"} else convert(text)

    read.__name__ = _WORDS.get(kind, kind or "text")
    return read
