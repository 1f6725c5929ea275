"""What one release of an engine takes: its flags, as argparse reads them, and its environment variables."""

from __future__ import annotations

from difflib import SequenceMatcher, get_close_matches
from functools import cached_property
from typing import Literal

from pydantic import JsonValue, PrivateAttr

from launchplan.catalog.base import Fact, Sourced

ValueType = Literal[
    "str",
    "int",
    "float",
    "bool",
    "human-int",
    "human-int-or-auto",
    "si-int",
    "json",
    "json-object",
    "json-or-path",
    "json-or-str",
    "json-text",
    "folded-str",
    "lora-module",
    "opaque",
]
TYPO_CUTOFF = 0.78  # below this difflib proposes flags that only share a few words


class Flag(Fact):
    """One option of the engine's parser, or a positional argument (without names).

    `names` are all spellings that the parser takes, the canonical long one first. `kind`: a switch takes no
    value, an optional-value may stand alone, a list takes one or more values (`may_be_empty`: or none).
    `type`: `human-int` is 4k, 1.5m or a number (with `-or-auto` also auto), `si-int` is 4k, 1.5M or 4Ki;
    `json` is parsed as JSON by the parser, `json-object` into a configuration of the engine, `json-or-str`
    only when it looks like JSON; `json-text` is JSON, `json-or-path` JSON or a file of it, that the parser
    takes as text; `lora-module` is name=path or the JSON of an adapter; `folded-str` is lower-cased, its
    dashes turned into underscores, before it is compared; `opaque` is converted by code of the engine. A
    `nullable` flag takes the word None for no value. `value_names` are those that the release registers
    though the parser does not enforce them. `default` is None when there is none, or when it is an object of
    the engine.
    """

    names: tuple[str, ...] = ()
    dest: str
    kind: Literal["switch", "value", "optional-value", "list"] = "value"
    action: Literal["store", "append", "help"] = "store"
    type: ValueType | None = None
    nullable: bool = False
    may_be_empty: bool = False
    required: bool = False
    choices: tuple[str | int | None, ...] | None = None
    value_names: tuple[str, ...] = ()
    default: JsonValue = None
    deprecated: bool = False
    replaced_by: str | None = None

    @property
    def name(self) -> str:
        """The canonical spelling; the dest of a positional argument."""
        return self.names[0] if self.names else self.dest

    @property
    def is_json(self) -> bool:
        """Whether the value is, or may be, JSON."""
        return self.type is not None and self.type.startswith("json")

    @property
    def off_names(self) -> tuple[str, ...]:
        """The spellings that set a switch to false: `--no-x`, or `--disable-x` for `--enable-x` and back."""
        opposite = "--disable-" if self.name.startswith("--enable-") else "--enable-"
        return (
            tuple(n for n in self.names[1:] if n.startswith(("--no-", opposite)))
            if self.kind == "switch"
            else ()
        )

    @property
    def negatable(self) -> bool:
        """Whether the flag has a spelling that switches it off."""
        return bool(self.off_names)


class Variable(Fact):
    """An environment variable that the engine reads; `type` is None where nothing tells it.

    A `bool-int` is a switch that is read as a number: `true` is none.
    """

    name: str
    type: Literal["str", "int", "float", "bool", "bool-int", "list", "json"] | None = None
    choices: tuple[str, ...] | None = None
    default: JsonValue = None


class Ambiguous(Fact):
    """A prefix that several flags answer to; the parser refuses it."""

    name: str
    candidates: tuple[str, ...]


class EngineFacts(Sourced):
    """The flags and variables of one release, with exact, abbreviated and nearest look-up of a name.

    Names are asked without `=value` and without the `.key` that vLLM allows after a JSON flag.
    """

    engine: Literal["vllm", "sglang", "vllm-router", "sglang-router"]
    version: str
    notes: tuple[str, ...] = ()
    flags: tuple[Flag, ...]
    variables: tuple[Variable, ...] = ()
    _nearest_by_name: dict[str, str | None] = PrivateAttr(default_factory=dict)

    # Cached properties, since pydantic looks private attributes up in its own, slow way.
    @cached_property
    def _flags_by_name(self) -> dict[str, Flag]:
        return {name: flag for flag in self.flags for name in flag.names}

    @cached_property
    def _flags_by_dest(self) -> dict[str, Flag]:
        # Where two flags share a place in the parser, the one that stays speaks for it.
        return {f.dest: f for f in sorted(self.flags, key=lambda flag: not flag.deprecated)}

    @cached_property
    def _variables_by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    def find(self, name: str) -> Flag | None:
        """Return the flag that has exactly this spelling; vLLM also takes underscores for dashes."""
        return self._flags_by_name.get(self._spelled(name))

    def flag_of(self, dest: str) -> Flag | None:
        """Return the flag that the parser keeps under this name."""
        return self._flags_by_dest.get(dest)

    def match(self, name: str) -> Flag | Ambiguous | None:
        """Return what the parser takes the name for: exact, else the one flag name that it is a prefix of.

        Every spelling counts, as in argparse (`_get_option_tuples`): two names of one flag are ambiguous too.
        """
        spelled = self._spelled(name)
        if spelled in self._flags_by_name:
            return self._flags_by_name[spelled]
        if not spelled.startswith("-") or not spelled.strip("-"):
            return None
        candidates = tuple(known for known in self._flags_by_name if known.startswith(spelled))
        if len(candidates) > 1:
            return Ambiguous(name=name, candidates=candidates)
        return self._flags_by_name[candidates[0]] if candidates else None

    def nearest(self, name: str) -> str | None:
        """Return the flag name that was probably meant, or None when nothing is close.

        A short option written with two dashes comes first (`--tp` for `-tp`), then a name that holds all
        words of the asked one (`--tensor-parallel`), then a typing error.
        """
        if name not in self._nearest_by_name:
            self._nearest_by_name[name] = self._near(name.replace("_", "-"))
        return self._nearest_by_name[name]

    def _near(self, asked: str) -> str | None:
        short = self._flags_by_name.get(f"-{asked.strip('-')}")
        if short is not None:
            return short.name
        return _with_all_words(asked, self._offered()) or _with_a_typo(asked, self._offered())

    def variable(self, name: str) -> Variable | None:
        """Return the environment variable of this name."""
        return self._variables_by_name.get(name)

    def _spelled(self, name: str) -> str:
        return name.replace("_", "-") if self.engine == "vllm" and name.startswith("--") else name

    def _offered(self) -> tuple[str, ...]:
        return tuple(
            n for flag in self.flags for n in flag.names if n.startswith("--") and n not in flag.off_names
        )


def _with_all_words(asked: str, names: tuple[str, ...]) -> str | None:
    words = set(asked.strip("-").split("-"))
    if len(words) < 2:
        return None
    holding = [name for name in names if words <= set(name.strip("-").split("-"))]
    return min(
        holding, key=lambda name: (name.count("-"), -SequenceMatcher(None, asked, name).ratio()), default=None
    )


def _with_a_typo(asked: str, names: tuple[str, ...]) -> str | None:
    return next(iter(get_close_matches(asked, names, n=1, cutoff=TYPO_CUTOFF)), None)
