"""What can be said of an engine version: exactly, by its neighbours, or not at all."""

from __future__ import annotations

from launchplan import catalog
from launchplan.catalog import EngineFacts
from launchplan.catalog.load import version_key
from launchplan.resolve import Deployment


def is_exact(deployment: Deployment) -> bool:
    """Tell whether the flags of this very release are known."""
    facts = deployment.facts
    return facts is not None and version_key(facts.version) == version_key(deployment.version)


def reaches(version: str, release: str) -> bool:
    """Tell whether a version is a release or newer; a name without numbers is newer than every release."""
    asked = version_key(version)
    return not asked or asked >= version_key(release)


def bounds(deployment: Deployment) -> tuple[EngineFacts, ...]:
    """Give the releases that a name must be missing from before it is surely missing here.

    The release itself where it is known; else the known ones before and after it; nothing for a version that
    is newer or older than all known ones, where missing can't be told.
    """
    if deployment.facts is None:
        return ()
    if is_exact(deployment):
        return (deployment.facts,)
    asked = version_key(deployment.version)
    later = [each for each in catalog.versions(deployment.engine) if asked and version_key(each) > asked]
    after = catalog.engine_facts(deployment.engine, later[0]) if later else None
    return (deployment.facts, after) if after is not None else ()


def later_facts(deployment: Deployment) -> tuple[EngineFacts, ...]:
    """Give the known releases that are newer than the deployment's, oldest first."""
    asked = version_key(deployment.version)
    later = [each for each in catalog.versions(deployment.engine) if asked and version_key(each) > asked]
    found = [catalog.engine_facts(deployment.engine, version) for version in later]
    return tuple(facts for facts in found if facts is not None)
