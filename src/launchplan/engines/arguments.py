"""Read a command line as the engine's own argument parser does.

Both engines use Python's argparse with abbreviations on, so argparse itself is what reads here, filled from
the flag facts of a version. vLLM's rewriting that comes before it (underscores, `-O3`, dotted JSON keys,
`--model`) is in `engines.vllm.words`.
"""

from __future__ import annotations

import argparse
import copy
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, NoReturn

from launchplan.catalog import EngineFacts, Flag
from launchplan.engines.convert import converter
from launchplan.memo import kept_by_identity


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
    reader = _reader(facts)
    parser, flags, defaults = reader.parser, reader.flags, reader.defaults
    texts = [word.text for word in words]
    given = _given(facts, words)
    apart = reader.apart(texts)
    if apart is not None:
        return Arguments(facts, apart, given)
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
    return Arguments(facts, vars(namespace), given, refusal)


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


_KEPT = 2048
"""Flags with their values that are kept of each release: the command lines of one search repeat them."""


class _Reader:
    """A release's parser; what it makes of a flag with its values is kept, for argparse is slow."""

    def __init__(self, facts: EngineFacts) -> None:
        self.parser, self.flags, self.defaults = _build_parser(facts)
        alone = copy.copy(self.parser)
        alone._actions = [action for action in self.parser._actions if not action.required]  # noqa: SLF001
        self._required = {action.dest for action in self.parser._actions if action.required}  # noqa: SLF001
        self._names = self.parser._option_string_actions  # noqa: SLF001
        self._read = lru_cache(_KEPT)(partial(_read_alone, alone))

    def apart(self, texts: Sequence[str]) -> dict[str, Any] | None:
        """Read each flag with its values apart; None where the parser has to see the whole line.

        It takes them together where one is refused or names no flag exactly, and where two set one value.
        """
        values = dict(self.defaults)
        starts = [place for place, text in enumerate(texts) if text.startswith("-")]
        if any(texts[place] not in self._names for place in starts):
            return None
        seen: set[str] = set()
        for start, end in zip((0, *starts), (*starts, len(texts)), strict=True):
            read = self._read(tuple(texts[start:end])) if end > start else {}
            if read is None or not seen.isdisjoint(read):
                return None
            seen.update(read)
            values.update(read)
        return values if self._required <= seen else None


def _read_alone(parser: _Parser, texts: tuple[str, ...]) -> dict[str, Any] | None:
    """Read one flag with its values, or the words before the first; None where not all of it is taken."""
    try:
        namespace, rest = parser.parse_known_args(texts, argparse.Namespace())
    except (argparse.ArgumentError, _RefusedError):
        return None
    return None if rest else vars(namespace)


@kept_by_identity
def _reader(facts: EngineFacts) -> _Reader:
    """Build a version's parser once.

    There are as many as releases in the catalog, and recorded ones that were read.
    """
    return _Reader(facts)


def _build_parser(facts: EngineFacts) -> tuple[_Parser, dict[str, Flag], dict[str, Any]]:
    parser = _Parser(prog=facts.engine, add_help=False, exit_on_error=False)
    defaults: dict[str, Any] = {}
    for flag in facts.flags:
        if flag.action == "help":
            parser.add_argument(*flag.names, action="help", dest=flag.dest, default=argparse.SUPPRESS)
            continue
        stays = facts.flag_of(flag.dest) or flag
        defaults[flag.dest] = stays.default
        _add(parser, flag, stores_true=stays.kind == "switch" and flag.kind == "value")
    # argparse goes through all actions several times a parse, to fill in defaults and to look for what is
    # required. The namespace holds the defaults already; options are found by their strings.
    needed = [action for action in parser._actions if action.required or not action.option_strings]  # noqa: SLF001
    parser._actions[:] = needed  # noqa: SLF001
    return parser, {flag.dest: flag for flag in facts.flags}, defaults


class _StoreTrue(argparse.Action):
    """A retired flag whose one value became a switch (SGLang's `--monokernel-backend amd`)."""

    def __call__(self, _parser: object, namespace: argparse.Namespace, *_word: object) -> None:
        setattr(namespace, self.dest, True)


def _add(parser: argparse.ArgumentParser, flag: Flag, *, stores_true: bool = False) -> None:
    # The namespace holds the defaults already; None keeps argparse from looking at each of them again.
    options: dict[str, Any] = {"default": None if flag.names else argparse.SUPPRESS}
    if flag.kind == "switch":
        off = set(flag.off_names)
        on = [name for name in flag.names if name not in off]
        parser.add_argument(*on, action="store_true", dest=flag.dest, **options)
        if off:
            parser.add_argument(*sorted(off), action="store_false", dest=flag.dest, **options)
        return
    if flag.action == "append" or stores_true:
        options["action"] = _StoreTrue if stores_true else "append"
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
