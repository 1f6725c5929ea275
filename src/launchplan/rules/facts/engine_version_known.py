"""Flags of another engine version are used.

## Why

launchplan knows the flags and variables of some releases exactly. For one in between it takes the newest
known release before it, so a flag that came later looks unknown. For one older than all known ones flags are
not checked.

## Fix

Nothing has to change. Pin a version that is known to have every flag checked.

## References

- launchplan's catalog, `catalog/data/engines/`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.resolve import Resolved
from launchplan.rules.rule import INFO, Violation, rule
from launchplan.rules.versions import is_exact
from launchplan.units import choice_text


@rule("FAC105", "engine-version-known", severity=INFO)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Compare the version with the release whose flags are used."""
    deployment = resolved.deployment
    if is_exact(deployment):
        return
    known = catalog.versions(deployment.engine)
    path = ("engine", "version")
    if deployment.facts is None:
        message = (
            f"{deployment.engine_label} is older than any release with known flags: they are not checked"
        )
        yield Violation(message, path, f"the oldest known is {known[0]}")
        return
    used = deployment.facts.version
    message = f"the flags of {deployment.engine_label} are not known exactly: those of {used} are used"
    yield Violation(message, path, f"known exactly: {choice_text(known[-3:])}")
