"""What changes between two launches: flags, variables, defaults, and what an engine fills in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from launchplan import catalog
from launchplan.catalog import EngineFacts
from launchplan.catalog import Flag as CatalogFlag
from launchplan.engines.launch import Flag, Launch, Process, Value, Variable
from launchplan.engines.origins import engine_origins
from launchplan.engines.view import EngineView

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One thing before and after; None where it is not there."""

    before: str | None
    after: str | None
    note: str = ""
    """Why the two belong together, or what became of the flag."""


@dataclass(frozen=True, slots=True)
class ProcessChanges:
    """The changes of processes that change alike."""

    names: tuple[str, ...]
    flags: tuple[Change, ...]
    env: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two launches."""

    label: str
    """`vllm 0.33.0`."""
    engine: str
    facts: EngineFacts | None
    launch: Launch
    views: tuple[EngineView, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changes from one launch to another."""

    before: str
    after: str
    processes: tuple[ProcessChanges, ...]
    """Processes that both have, where they differ."""
    gone: tuple[str, ...]
    """Names of processes that only the first has."""
    new: tuple[str, ...]
    """Names of processes that only the second has."""
    env: tuple[Change, ...]
    """Variables that all processes share."""
    defaults: tuple[Change, ...]
    """Defaults of flags that neither writes, where the releases differ."""
    filled: tuple[Change, ...]
    """Values that the engine resolves by itself."""
    refused: tuple[Change, ...]
    """Flags that the second release does not have, with what became of them."""

    @property
    def same(self) -> bool:
        """Whether both start the same and nothing else changes."""
        return not any(
            (self.processes, self.gone, self.new, self.env, self.defaults, self.filled, self.refused)
        )


def compare(before: Side, after: Side) -> Comparison:
    """Compare two launches process by process, by name."""
    old = {process.name: process for process in before.launch.processes}
    new = {process.name: process for process in after.launch.processes}
    both = [name for name in old if name in new]
    changed = [(name, _process(old[name], new[name], before, after)) for name in both]
    return Comparison(
        before.label,
        after.label,
        tuple(_alike((name, *found) for name, found in changed if any(found))),
        tuple(name for name in old if name not in new),
        tuple(name for name in new if name not in old),
        tuple(_variables(before.launch.env, after.launch.env)),
        tuple(_defaults(before, after)),
        tuple(_filled(before.views, after.views)),
        tuple(_refused(after)),
    )


def _alike(
    found: Iterable[tuple[str, tuple[Change, ...], tuple[Change, ...]]],
) -> Iterator[ProcessChanges]:
    groups: dict[tuple[tuple[Change, ...], tuple[Change, ...]], list[str]] = {}
    for name, flags, env in found:
        groups.setdefault((flags, env), []).append(name)
    for (flags, env), names in groups.items():
        yield ProcessChanges(tuple(names), flags, env)


def _process(
    old: Process, new: Process, before: Side, after: Side
) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    command = [value_text(value) for value in old.command], [value_text(value) for value in new.command]
    program = (Change(" ".join(command[0]), " ".join(command[1])),) if command[0] != command[1] else ()
    router = old.role == "router"
    flags = _flags(old.flags, new.flags, None if router else before, None if router else after)
    return (*program, *flags), tuple(_variables(old.env, new.env))


def _flags(
    old: Sequence[Flag], new: Sequence[Flag], before: Side | None, after: Side | None
) -> Iterator[Change]:
    across = before is not None and after is not None and before.engine != after.engine
    common = {flag.name for flag in old} & {flag.name for flag in new}
    sides = tuple(side.facts for side in (before, after) if side is not None and side.facts is not None)
    olds = _keyed(old, sides, common if across else None)
    news = _keyed(new, sides[::-1], common if across else None)
    for key, flag in olds.items():
        other = news.get(key)
        if other is None and after is not None:
            other = _renamed(flag, news, olds, after)
        if other is None:
            yield Change(flag_text(flag), None, "" if after is None or across else _became(flag, after))
        elif flag_text(flag) != flag_text(other):
            renamed = flag.name.partition(".")[0] != other.name.partition(".")[0]
            note = "same key of the recipe" if across else "renamed"
            yield Change(flag_text(flag), flag_text(other), note if renamed else "")
    taken = {id(_renamed(flag, news, olds, after)) for flag in olds.values()} if after is not None else set()
    for key, flag in news.items():
        if key not in olds and id(flag) not in taken:
            yield Change(None, flag_text(flag))


def _keyed(
    flags: Sequence[Flag], sides: Sequence[EngineFacts], common: AbstractSet[str] | None
) -> dict[Key, Flag]:
    """Key flags by what they set, the parser's name; across engines by the recipe's key, if not in both."""
    found: dict[Key, Flag] = {}
    for flag in flags:
        stem, dot, rest = flag.name.partition(".")
        matches = (facts.match(stem) for facts in sides if common is None)
        dest = next((known.dest for known in matches if isinstance(known, CatalogFlag)), stem)
        key: Key = (f"{dest}{dot}{rest}",)
        if common is not None and flag.path and flag.name not in common and "args" not in flag.path:
            same = sum(other.path == flag.path and other.name not in common for other in found.values())
            key = (*map(str, flag.path), str(same))
        found.setdefault(key, flag)
    return found


def _became(flag: Flag, after: Side) -> str:
    """Say what became of a flag that the second release does not have."""
    history = catalog.flag_history(after.engine)
    name = flag.name.partition("=")[0].partition(".")[0]
    past = history.past(name, after.facts.version) if history is not None and after.facts else None
    return "; ".join(past) if past else ""


def _renamed(flag: Flag, news: Mapping[Key, Flag], olds: Mapping[Key, Flag], after: Side) -> Flag | None:
    """Find the flag that took another's place among those that are new."""
    history = catalog.flag_history(after.engine)
    change = history.change(flag.name.partition(".")[0]) if history is not None else None
    if change is None:
        return None
    words = {word for word in change.replaced_by if word.startswith("--")}
    return next((new for key, new in news.items() if key not in olds and new.name in words), None)


def _variables(old: Sequence[Variable], new: Sequence[Variable]) -> Iterator[Change]:
    olds = {variable.name: variable_text(variable) for variable in old}
    news = {variable.name: variable_text(variable) for variable in new}
    for name in dict.fromkeys((*olds, *news)):
        if olds.get(name) != news.get(name):
            yield Change(olds.get(name), news.get(name))


def _defaults(before: Side, after: Side) -> Iterator[Change]:
    """Compare the defaults of two releases of one engine, for flags that neither writes."""
    old, new = before.facts, after.facts
    if old is None or new is None or old.engine != new.engine or old.version == new.version:
        return
    written = {name for side in (before, after) for view in side.views for name in view.arguments.given}
    for flag in old.flags:
        other = new.flag_of(flag.dest)
        if other is not None and flag.default != other.default and flag.dest not in written:
            yield Change(f"{other.name} {_shown(flag.default)}", f"{other.name} {_shown(other.default)}")


def _filled(old: Iterable[EngineView], new: Iterable[EngineView]) -> Iterator[Change]:
    olds, news = ({each.key: each.value for each in engine_origins(views)} for views in (old, new))
    for key in dict.fromkeys((*olds, *news)):
        if olds.get(key) != news.get(key) and key in olds and key in news:
            yield Change(f"{key} {_shown(olds[key])}", f"{key} {_shown(news[key])}")


def _refused(after: Side) -> Iterator[Change]:
    """List what the second release has no flag for."""
    seen: set[str] = set()
    for process in after.launch.processes:
        for flag in (
            () if process.role == "router" or process.is_worker or after.facts is None else process.flags
        ):
            name = flag.name.partition("=")[0].partition(".")[0]
            if name not in seen and after.facts is not None and after.facts.match(name) is None:
                seen.add(name)
                yield Change(None, flag_text(flag), _became(flag, after) or "no such flag")


def flag_text(flag: Flag) -> str:
    """Write a flag as the command line has it; what the site knows stands as its variable."""
    return " ".join((flag.name, *map(value_text, flag.values)))


def variable_text(variable: Variable) -> str:
    """Write a variable as an assignment."""
    return f"{variable.name}={value_text(variable.value)}"


def value_text(value: Value) -> str:
    """Write a value; what the site knows stands as its variable."""
    return "".join(part if isinstance(part, str) else f"${part.variable}" for part in value)


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
