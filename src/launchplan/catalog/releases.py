"""Names that every release of an engine has: model classes, and the values of flags."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Literal

from launchplan.catalog.base import Fact, Sourced
from launchplan.catalog.load import DATA, read_fact
from launchplan.catalog.version import ReleaseKey, order_key, release_key, version_key

FOLDER = DATA / "releases"
CLASSES, LIBRARY, STAGELESS = "classes", "transformers", "classes without stages"
_LENDING = "Transformers"
"""What the classes are called by which an engine runs those of transformers."""
_ENDING = re.compile(
    r"(For[A-Z]\w*|LMHeadModel|ChatModel|RewardModel|EmbeddingModel|ClassificationModel|Model)$"
)
"""What vLLM exchanges to find a class (`_SUFFIX_TO_DEFAULTS`, vllm 0.33.0 config/model.py:2340)."""


class NameList(Fact):
    """One list of names.

    `of` is what it lists: `classes` of the registry, those that take no pipeline stages, the newest
    `transformers` that a release allows, or the values of a flag. `runs` gives the names of each run of
    releases, which `0.6.3..0.9.2` spells; a run without an end goes on to the newest release that was read.
    Releases that are in no run had no such list, or nobody read it.
    """

    of: str
    source: str
    runs: Mapping[str, tuple[str, ...]]


class Releases(Sourced):
    """The releases of one project that were read, oldest first, and what they list."""

    engine: Literal["vllm", "sglang", "transformers"]
    releases: tuple[str, ...]
    lists: tuple[NameList, ...]


class ReleaseNames:
    """What one list has, release by release. A build is no release: nobody knows what it has."""

    def __init__(self, releases: tuple[str, ...], names: NameList) -> None:
        """Take the releases that were read and one of their lists."""
        self._releases, self._names = releases, names

    def at(self, version: str) -> frozenset[str] | None:
        """Return the names that exactly this release has, None where nobody read its list."""
        key = release_key(version)
        return self._held.get(key) if key else None

    def lacks(self, version: str, name: str) -> bool:
        """Tell whether it is known that a release does not have a name."""
        names = self.at(version)
        return names is not None and name not in names

    def first(self, name: str) -> str | None:
        """Return the first release that has a name, None where none has it."""
        return next((self._spelled[key] for key in self._held if name in self._held[key]), None)

    def next_with(self, version: str, name: str) -> str | None:
        """Return the first release after a version that has a name, None where none has."""
        after = (key for key in self._held if key > order_key(version) and name in self._held[key])
        return next((self._spelled[key] for key in after), None)

    def last_with(self, version: str, name: str) -> str | None:
        """Return the last release before a version that has a name, None where none has."""
        before = [key for key in self._held if key < order_key(version) and name in self._held[key]]
        return self._spelled[before[-1]] if before else None

    @cached_property
    def _spelled(self) -> Mapping[ReleaseKey, str]:
        return {order_key(release): release for release in self._releases}

    @cached_property
    def _held(self) -> Mapping[ReleaseKey, frozenset[str]]:
        """The names of each release that was read, the oldest first."""
        held: dict[ReleaseKey, set[str]] = {key: set() for key in self._spelled}
        for run, names in self._names.runs.items():
            first, _, last = run.partition("..")
            end = order_key(last or self._releases[-1])
            for key in self._spelled:
                if order_key(first) <= key <= end:
                    held[key].update(names)
        return {key: frozenset(names) for key, names in held.items() if names}


@cache
def _lists(engine: str) -> Mapping[str, ReleaseNames]:
    path = FOLDER / f"{engine}.yaml"
    if not path.is_file():
        return {}
    facts = read_fact(Releases, path)
    return {each.of: ReleaseNames(facts.releases, each) for each in facts.lists}


def release_names(engine: str, of: str) -> ReleaseNames | None:
    """Return what the releases of an engine list of a kind, None where nobody has read it."""
    return _lists(engine).get(of)


def lacks_class(engine: str, version: str, name: str) -> bool:
    """Tell whether it is known that a release neither has a class nor takes another for it.

    One of the same stem may stand for it (vllm 0.10.1 model_executor/models/registry.py, `_normalize_arch`),
    and so may the class of that name in a transformers that the release allows.
    """
    classes = release_names(engine, CLASSES)
    names = classes.at(version) if classes else None
    if names is None or name in names or _is_lent(engine, version, name, names):
        return False
    stem = _ENDING.sub("", name)
    return not stem or not any(_ENDING.sub("", each) == stem for each in names)


def _is_lent(engine: str, version: str, name: str, names: frozenset[str]) -> bool:
    """Tell whether a release runs classes of transformers, and allows one that has this class."""
    allowed, library = release_names(engine, LIBRARY), release_names(LIBRARY, CLASSES)
    newest = next(iter(allowed.at(version) or ()), None) if allowed else None
    first = library.first(name) if library else None
    if newest is None or first is None or version_key(first) > version_key(newest):
        return False
    return any(each.startswith(_LENDING) for each in names)
