"""The checkpoint is that of another model.

## Why

`model` says which dimensions every rule about the layout, the formats and the memory goes by; the engine
loads `checkpoint`. When the catalog knows the checkpoint as another model's, each of those verdicts would be
about the wrong model.

## Fix

Name the checkpoint's own model, or take a checkpoint of the model that is named.

## References

- launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.resolve import Resolved
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import shown


@rule("FAC110", "checkpoint-of-model", severity=ERROR, source="launchplan's catalog")
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look up whose checkpoint it is."""
    deployment = resolved.deployment
    entry, name = deployment.model, deployment.recipe.value.checkpoint
    if entry is None or name is None or deployment.checkpoint_facts is not None:
        return
    owner = catalog.model(name)
    if owner is None or owner.id == entry.id:
        return
    message = f"checkpoint {shown(name)} is one of {owner.id}, not of {entry.id}"
    yield Violation(message, ("checkpoint",), f"write 'model: {owner.id}'")
