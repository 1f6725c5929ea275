"""What one release of an engine takes inside its JSON flags, and the limits of its numbers.

vLLM reads `--compilation-config` and its like into typed configurations that refuse unknown keys; numbers of
plain flags are checked when the configuration that they go to is made.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Literal

from pydantic import Field, JsonValue

from launchplan.catalog.base import Fact, Sourced
from launchplan.catalog.load import DATA, newest_not_above, read_fact

JsonType = Literal["int", "float", "bool", "str", "list", "dict"]


class Bounds(Fact):
    """The numbers that are taken; a bound that is None does not bind."""

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None

    def problem(self, value: float) -> str | None:
        """Say what a number should be, None when it is taken: `at least 1`."""
        if self.ge is not None and value < self.ge:
            return f"at least {self.ge:g}"
        if self.gt is not None and value <= self.gt:
            return f"above {self.gt:g}"
        if self.le is not None and value > self.le:
            return f"at most {self.le:g}"
        if self.lt is not None and value >= self.lt:
            return f"below {self.lt:g}"
        return None


class Key(Bounds):
    """One key of a configuration; without types, choices and configuration any value is taken here."""

    name: str
    types: tuple[JsonType, ...] = ()
    choices: tuple[str | int, ...] = ()
    config: str | None = None
    """The configuration that a mapping under this key is read into."""
    nullable: bool = False


class JsonConfig(Fact):
    """A configuration: the keys that it knows."""

    name: str
    source: str
    keys: tuple[Key, ...]

    def key(self, name: str) -> Key | None:
        """Return the key of this name."""
        return next((key for key in self.keys if key.name == name), None)


class JsonFlag(Fact):
    """The configuration that a JSON flag is read into, and whether its parser or the engine reads it."""

    dest: str
    config: str
    at: Literal["parse", "config"] = "parse"


class Limit(Bounds):
    """The numbers that a plain flag takes, besides single ones that mean something else."""

    dest: str
    besides: tuple[int, ...] = ()
    only_with: str | None = None
    """A switch, or `multimodal`, without which the number is not looked at."""
    source: str


class EngineJson(Sourced):
    """Keys and limits of one release."""

    engine: Literal["vllm"]
    version: str
    flags: tuple[JsonFlag, ...]
    limits: tuple[Limit, ...]
    configs: tuple[JsonConfig, ...] = Field(min_length=1)

    @cached_property
    def _limits(self) -> dict[str, Limit]:
        return {limit.dest: limit for limit in self.limits}

    @cached_property
    def _flags(self) -> dict[str, JsonFlag]:
        return {flag.dest: flag for flag in self.flags}

    @cached_property
    def _configs(self) -> dict[str, JsonConfig]:
        return {config.name: config for config in self.configs}

    def limit(self, dest: str) -> Limit | None:
        """Return the limits of a plain flag."""
        return self._limits.get(dest)

    def flag(self, dest: str) -> JsonFlag | None:
        """Return what a JSON flag is read into."""
        return self._flags.get(dest)

    def config(self, name: str) -> JsonConfig:
        """Return the configuration of a name that this file holds."""
        return self._configs[name]


@cache
def engine_json(engine: str, version: str) -> EngineJson | None:
    """Return the facts of the newest known release that is not newer than the asked one, or None."""
    path = newest_not_above(DATA / "engine_json", engine, version)
    return read_fact(EngineJson, path) if path is not None else None


def is_of_type(value: JsonValue, kind: JsonType) -> bool:
    """Tell whether a value is read as a type, as pydantic's lax mode does."""
    match kind:
        case "bool":
            return isinstance(value, bool) or value in (0, 1) or _is_word_for_truth(value)
        case "int":
            return _is_whole(value)
        case "float":
            return isinstance(value, int | float) or _is_number(value)
        case "str":
            return isinstance(value, str)
        case "list":
            return isinstance(value, list)
        case "dict":
            return isinstance(value, dict)


def _is_word_for_truth(value: JsonValue) -> bool:
    words = {"0", "off", "f", "false", "n", "no", "1", "on", "t", "true", "y", "yes"}
    return isinstance(value, str) and value.lower() in words


def _is_whole(value: JsonValue) -> bool:
    if isinstance(value, str):
        return value.strip().lstrip("+-").isdecimal()
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _is_number(value: JsonValue) -> bool:
    try:
        float(value) if isinstance(value, str) else float("x")
    except ValueError:
        return False
    return True
