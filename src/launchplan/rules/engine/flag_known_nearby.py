"""A raw flag that the nearest known version does not have.

## Why

The flags of this engine version are not known, and no later release is known either, so a flag that is
missing from the newest known release is either new or misspelled. Engines refuse to start on a flag that they
don't know.

## Fix

Check the spelling against `vllm serve --help=all` or `sglang serve --help` of the build.

## References

- flags by version in launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.flag_names import flag_text, taken_for
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.versions import bounds


@rule("ENG111", "flag-known-nearby", severity=WARNING)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look each raw flag up in the newest known release."""
    facts = pool.deployment.facts
    if facts is None or bounds(pool.deployment):
        return
    for key in pool.args:
        if taken_for(facts, key) is not None:
            continue
        spelled = flag_text(key)
        near = facts.nearest(spelled)
        message = f"{spelled} is no flag of {facts.engine} {facts.version}, the newest release that is known"
        yield Violation(
            message, pool.arg_paths[key], f"did you mean {near}?" if near else "check its spelling"
        )
