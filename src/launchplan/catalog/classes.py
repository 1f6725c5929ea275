"""With which release each model class came to an engine, and went."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Literal

from launchplan.catalog.base import Sourced
from launchplan.catalog.load import DATA, read_fact
from launchplan.catalog.version import release_key, version_key

_LENDING = "Transformers"
"""What the classes are called by which an engine runs those of transformers."""


class ClassHistory(Sourced):
    """What the registries of an engine's releases list."""

    engine: Literal["vllm", "sglang"]
    transformers: Mapping[str, str]
    """By release that was read: the newest transformers that it allows."""
    since: Mapping[str, tuple[str, ...]]
    """By release: the classes that came with it; with the oldest, those that it had."""
    last: Mapping[str, tuple[str, ...]]
    """By release: the classes that it was the last to have."""
    in_transformers: Mapping[str, tuple[str, ...]]
    """By release of transformers: those of all these classes that came with it."""

    @cached_property
    def _first(self) -> Mapping[str, str]:
        return _by_name(self.since)

    @cached_property
    def _last(self) -> Mapping[str, str]:
        return _by_name(self.last)

    @cached_property
    def _theirs(self) -> Mapping[str, str]:
        return _by_name(self.in_transformers)

    @cached_property
    def _allowed(self) -> Mapping[tuple[int, ...], str]:
        return {version_key(release): newest for release, newest in self.transformers.items()}

    def first(self, name: str) -> str | None:
        """Give the first release that lists a class; None for one that none does."""
        return self._first.get(name)

    def is_known(self, version: str) -> bool:
        """Tell whether this is a release whose registry was read."""
        return release_key(version) is not None and version_key(version) in self._allowed

    def is_too_old(self, version: str, name: str) -> bool:
        """Tell whether a release that was read is older than the first with a class."""
        first = self.first(name)
        return first is not None and self.is_known(version) and version_key(version) < version_key(first)

    def may_be_lent(self, version: str, name: str) -> bool:
        """Tell whether a release runs classes of transformers, and allows one that has this class."""
        theirs, allowed = self._theirs.get(name), self._allowed.get(version_key(version))
        if theirs is None or allowed is None or version_key(theirs) > version_key(allowed):
            return False
        return any(
            each.startswith(_LENDING) and version_key(release) <= version_key(version)
            for each, release in self._first.items()
        )


def _by_name(names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {name: release for release, held in names.items() for name in held}


@cache
def class_history(engine: str) -> ClassHistory | None:
    """Return what is known of an engine's registries, None for an engine that nobody has read."""
    path = DATA / "classes" / f"{engine}.yaml"
    return read_fact(ClassHistory, path) if path.is_file() else None
