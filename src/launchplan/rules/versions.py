"""What can be said of an engine version: exactly, by its neighbours, or not at all."""

from __future__ import annotations

from launchplan import catalog
from launchplan.catalog import EngineFacts
from launchplan.catalog.version import is_same_release, version_key
from launchplan.resolve import Deployment


def is_exact(deployment: Deployment) -> bool:
    """Tell whether the flags of this very release are known."""
    facts = deployment.facts
    return facts is not None and is_same_release(deployment.version, facts.version)


def reaches(version: str, release: str) -> bool:
    """Tell whether a version is a release or newer; a name without numbers is newer than every release."""
    asked = version_key(version)
    return not asked or asked >= version_key(release)


def bounds(deployment: Deployment) -> tuple[EngineFacts, ...]:
    """Give the releases that a name must be missing from before it is surely missing here."""
    return catalog.judging_facts(deployment.engine, deployment.version)


def later_facts(deployment: Deployment) -> tuple[EngineFacts, ...]:
    """Give the known releases that are newer than the deployment's, oldest first."""
    asked = version_key(deployment.version)
    later = [each for each in catalog.versions(deployment.engine) if asked and version_key(each) > asked]
    found = [catalog.engine_facts(deployment.engine, version) for version in later]
    return tuple(facts for facts in found if facts is not None)
