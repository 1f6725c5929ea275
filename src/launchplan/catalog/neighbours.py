"""The releases with known flags that a version is judged by."""

from __future__ import annotations

from launchplan.catalog.engines import EngineFacts
from launchplan.catalog.load import engine_facts, nearest_facts, versions
from launchplan.catalog.version import comes_before, is_patched, is_same_release, version_key


def judging_facts(engine: str, version: str) -> tuple[EngineFacts, ...]:
    """Give the known releases that must all lack a name before a version surely lacks it, the nearest first.

    The release itself where it is known; else those before and after it. A build that comes before a release
    may have what either of the releases around it has, and what came after. None for a version that is older
    or newer than all known ones, or has changes of its own: nobody knows what it has.
    """
    facts = nearest_facts(engine, version)
    if facts is None or is_same_release(version, facts.version):
        return (facts,) if facts else ()
    asked, known = version_key(version), versions(engine)
    after = [each for each in known if asked and version_key(each) > asked][:1]
    if not after or is_patched(version):
        return ()
    early = comes_before(version) and version_key(facts.version) == asked
    before = [each for each in known if version_key(each) < asked][-1:] if early else []
    return (facts, *(found for each in (*before, *after) if (found := engine_facts(engine, each))))
