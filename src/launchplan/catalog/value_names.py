"""The values that a flag has in each release of an engine, between and before the releases with facts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from launchplan.catalog.base import Fact, Sourced
from launchplan.catalog.load import DATA, read_fact
from launchplan.catalog.version import release_key, version_key

FOLDER = DATA / "value_names"


class FlagValues(Fact):
    """The values of one flag.

    `releases` are those whose source was read, oldest first; `names` gives each value the first and last
    release of every run that has it. A release has a name when one of its post-releases has it.
    """

    flag: str
    releases: tuple[str, ...]
    names: Mapping[str, tuple[tuple[str, str], ...]]


class ValueNames(Sourced):
    """The flags of one engine whose values were read release by release."""

    engine: str
    flags: tuple[FlagValues, ...]


@cache
def _flags(engine: str) -> Mapping[str, FlagValues]:
    path = FOLDER / f"{engine}.yaml"
    return {each.flag: each for each in read_fact(ValueNames, path).flags} if path.exists() else {}


@cache
def value_names(engine: str, version: str, flag: str) -> tuple[str, ...]:
    """Return the values that a release has for a flag; empty for builds and where none was read."""
    values, asked = _flags(engine).get(flag), version_key(version)
    if (
        values is None
        or release_key(version) is None
        or asked not in {version_key(each) for each in values.releases}
    ):
        return ()
    return tuple(
        name
        for name, runs in values.names.items()
        if any(version_key(first) <= asked <= version_key(last) for first, last in runs)
    )


def release_with(engine: str, version: str, flag: str, name: str) -> str | None:
    """Return the first release after a version in which a flag has a value; None where none has."""
    values, asked = _flags(engine).get(flag), version_key(version)
    runs = values.names.get(name, ()) if values else ()
    return next((first for first, _ in runs if version_key(first) > asked), None)
