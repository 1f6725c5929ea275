"""A raw flag that this engine version does not have.

## Why

Engines refuse to start on a flag that they don't know, and flags come and go with releases: vLLM 0.33.0 has
no `--swap-space` and no `--task`, SGLang 0.5.23 no `--enable-ep-moe`. Both parsers take a unique beginning
of a name, and refuse one that several flags begin with (`--pp` in SGLang).

## Fix

Use the name of this version. Where a flag was removed, its effect is the default now or has another name.

## References

- `argparse` of both engines with `allow_abbrev`; flags by version in launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.catalog import Ambiguous
from launchplan.catalog.load import version_key
from launchplan.resolve import Deployment, ResolvedPool
from launchplan.rules.flag_names import flag_text, taken_for
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.versions import bounds, others_with_flag
from launchplan.units import choice_text


@rule("ENG101", "flag-known", severity=ERROR, source="the engine's argument parser", at="parse")
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look each raw flag up."""
    releases = bounds(pool.deployment)
    if not releases:
        return
    for key in pool.args:
        found = [taken_for(facts, key) for facts in releases]
        if any(found) and not all(isinstance(each, Ambiguous) for each in found):
            continue
        spelled = flag_text(key)
        ambiguous = found[0]
        if isinstance(ambiguous, Ambiguous):
            message = f"{spelled} is ambiguous in {pool.deployment.engine_label}"
            fix: str | None = f"write {choice_text(ambiguous.candidates[:4])}"
        else:
            message, fix = _unknown(pool.deployment, spelled)
        yield Violation(message, pool.arg_paths[key], fix)


def _unknown(deployment: Deployment, spelled: str) -> tuple[str, str | None]:
    label = deployment.engine_label
    near = deployment.facts.nearest(spelled) if deployment.facts else None
    having = others_with_flag(deployment, spelled)
    asked = version_key(deployment.version)
    if not having:
        return f"{label} has no flag {spelled}", f"did you mean {near}?" if near else "remove it"
    if version_key(having[-1]) < asked:
        return f"{label} has no flag {spelled}: {having[-1]} still had it", _instead(near)
    return (
        f"{label} has no flag {spelled} yet: {having[0]} has it",
        f"remove it, or use {deployment.engine} {having[0]}",
    )


def _instead(near: str | None) -> str:
    return f"remove it, or see {near}" if near else "remove it"
