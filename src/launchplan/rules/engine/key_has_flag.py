"""A key of the recipe becomes a flag that this engine version does not have.

## Why

Options of `speculative` and `transfer` go to SGLang as flags of their own: `num-steps` becomes
`--speculative-num-steps`. One that the version does not have ends the start in `unrecognized arguments`.

## Fix

Use an option of this version, or leave it out.

## References

- flags by version in launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import Launch
from launchplan.rules.flag_names import taken_for
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.versions import bounds


@rule("ENG110", "key-has-flag", severity=ERROR, source="the engine's argument parser", at="parse")
def check(launch: Launch) -> Iterator[Violation]:
    """Look every flag up that comes from a typed key."""
    deployment = launch.layout.resolved.deployment
    releases = bounds(deployment)
    seen: set[str] = set()
    for process in launch.processes if releases else ():
        for flag in () if process.role == "router" or process.is_worker else process.flags:
            if not flag.path or "args" in flag.path or flag.name in seen:
                continue
            if any(taken_for(facts, flag.name.lstrip("-")) is not None for facts in releases):
                continue
            seen.add(flag.name)
            near = releases[0].nearest(flag.name)
            fix = f"did you mean {near}?" if near else "leave it out"
            yield Violation(f"{deployment.engine_label} has no flag {flag.name}", flag.path, fix)
