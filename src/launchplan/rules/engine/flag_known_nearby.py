"""A raw flag that the nearest known version does not have.

## Why

The flags of this engine version are not known. It is newer than every release with known flags, or a build
with changes of its own, so a flag that is missing from the nearest known release is either new or misspelled.
Engines refuse to start on a flag that they don't know.

## Fix

Check the spelling against `vllm serve --help=all` or `sglang serve --help` of the build.

## References

- flags by version in launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.flag_names import flag_text, is_gone, taken_for
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.versions import bounds


@rule("ENG111", "flag-known-nearby", severity=WARNING)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look each raw flag up in the nearest known release."""
    facts = pool.deployment.facts
    if facts is None or bounds(pool.deployment):
        return
    for key in pool.args:
        if taken_for(facts, key) is not None or is_gone(pool.deployment, key):
            continue
        spelled = flag_text(key)
        near = facts.nearest(spelled)
        message = f"{spelled} is no flag of {facts.engine} {facts.version}, the nearest release that is known"
        yield Violation(
            message, pool.arg_paths[key], f"did you mean {near}?" if near else "check its spelling"
        )
