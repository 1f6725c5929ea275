"""Flag names and value names of an engine version."""

from __future__ import annotations

from launchplan import catalog
from launchplan.catalog import Ambiguous, EngineFacts, Flag
from launchplan.resolve import Deployment
from launchplan.rules.versions import bounds, later_facts
from launchplan.rules.wording import cut
from launchplan.units import choice_text

MOST_CANDIDATES = 4
"""Flags that a name may stand for, of those named."""


def taken_for(facts: EngineFacts, key: str) -> Flag | Ambiguous | None:
    """Find what the parser takes a key of `args` for, as launchplan writes it."""
    name = key.partition(".")[0]
    return facts.find(f"--{name}") or facts.find(f"-{name}") or facts.match(f"--{name}")


def flag_text(key: str) -> str:
    """Write a key of `args` as the flag that it becomes."""
    return "--" + cut(key.partition(".")[0])


def is_gone(deployment: Deployment, key: str) -> bool:
    """Tell whether it is known that a release took a key of `args` away before this version."""
    history = catalog.flag_history(deployment.engine)
    return history is not None and history.is_gone(flag_text(key), deployment.version)


def unknown_flag(engine: str, version: str, name: str, near: str | None) -> tuple[str, str]:
    """Say of a flag that a version lacks when there was one, and what to write instead.

    `name` is its spelling with dashes, `near` the name that was probably meant.
    """
    history = catalog.flag_history(engine)
    past = history.past(name, version) if history is not None else None
    message = f"{engine} {version} has no flag {cut(name)}"
    if past is not None:
        when, fix = past
        return f"{message}: {when}", f"remove it, or see {near}" if near and fix == "remove it" else fix
    return message, f"did you mean {near}?" if near else "remove it"


def ambiguous_flag(engine: str, version: str, name: str, found: Ambiguous) -> tuple[str, str]:
    """Say of a name that several flags begin with, and which they are."""
    message = f"{cut(name)} is ambiguous in {engine} {version}"
    return message, f"write {choice_text(found.candidates[:MOST_CANDIDATES])}"


def names_of(deployment: Deployment, spelled: str) -> tuple[str, ...]:
    """Give the value names that a flag has in the version, empty when they are not known."""
    exact = _of_release(deployment, spelled)
    return tuple(sorted(exact)) or (names_in(deployment.facts, spelled) if deployment.facts else ())


def later_release(deployment: Deployment, spelled: str, name: str) -> str | None:
    """Give a newer release in which a flag has a value of this name, the first that is known."""
    names = catalog.release_names(deployment.engine, spelled)
    with_it = names.next_with(deployment.version, name) if names else None
    known = (facts.version for facts in later_facts(deployment) if name in names_in(facts, spelled))
    return with_it or next(known, None)


def _of_release(deployment: Deployment, spelled: str) -> frozenset[str]:
    """Give the value names that were read in this release's source; facts that are given stand instead."""
    if catalog.given() is not None:
        return frozenset()
    names = catalog.release_names(deployment.engine, spelled)
    return (names.at(deployment.version) if names else None) or frozenset()


def names_in(facts: EngineFacts, spelled: str) -> tuple[str, ...]:
    """Give the value names that a flag has in a release, empty when they are not known."""
    flag = facts.find(spelled)
    return _names(flag) if flag else ()


def _names(flag: Flag) -> tuple[str, ...]:
    return tuple(str(name) for name in flag.choices or () if name is not None) or flag.value_names


def missing_name(deployment: Deployment, spelled: str, name: str) -> bool:
    """Tell whether it is sure that a flag has no value of this name in the version."""
    exact = _of_release(deployment, spelled)
    if exact:
        return name not in exact
    releases = bounds(deployment)
    flags = [facts.find(spelled) for facts in releases]
    return bool(releases) and all(
        flag is not None and _names(flag) and name not in _names(flag) for flag in flags
    )
