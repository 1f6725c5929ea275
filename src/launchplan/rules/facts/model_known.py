"""Nobody says what the model looks like.

## Why

Heads, layers, experts and formats come from the catalog's entry or from a `config.json`. Without either no
rule about the layout can run, and nothing is known about memory.

## Fix

Name a model of `launchplan list models`, or give the path of the model's `config.json` (or of its folder) as
`model` and the hub id as `checkpoint`.

## References

- launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.wording import shown


@rule("FAC103", "model-known", severity=WARNING)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look for an architecture."""
    deployment = resolved.deployment
    if deployment.architecture is not None:
        return
    name = deployment.model_source.name
    near = catalog.nearest_model(name)
    fix = f"did you mean '{near}'? else " if near else ""
    message = f"model {shown(name)} is not in the catalog: heads, layers and experts are not checked"
    yield Violation(message, ("model",), f"{fix}give the path of its config.json as model")
