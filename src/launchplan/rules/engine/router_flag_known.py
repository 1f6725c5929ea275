"""A raw flag that the router does not have.

## Why

The router refuses to start on a flag that it doesn't know.

## Fix

Use the router's own name.

## References

- flags of vllm-router and sglang-router by version in launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.engines.router import OF_ENGINE
from launchplan.resolve import Resolved
from launchplan.rules.flag_names import flag_text, taken_for
from launchplan.rules.rule import ERROR, Violation, rule


@rule("ENG109", "router-flag-known", severity=ERROR, source="the router's argument parser", at="parse")
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look each raw flag of the router up."""
    recipe = resolved.deployment.recipe.value
    if recipe.router is None or recipe.pools is None:
        return
    kind = recipe.router.kind or OF_ENGINE[resolved.deployment.engine]
    known = catalog.versions(kind)
    facts = catalog.engine_facts(kind, known[-1]) if known else None
    for key in recipe.router.args if facts else ():
        if facts is not None and taken_for(facts, key.lstrip("-")) is None:
            spelled = flag_text(key.lstrip("-"))
            near = facts.nearest(spelled)
            message = f"{kind} {facts.version} has no flag {spelled}"
            yield Violation(
                message, ("router", "args", key), f"did you mean {near}?" if near else "remove it"
            )
