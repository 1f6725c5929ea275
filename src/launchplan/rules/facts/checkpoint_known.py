"""The checkpoint is not one that the catalog knows of this model.

## Why

A model's checkpoints differ in format, size and the GPUs they are made for. For one that the catalog doesn't
know the rules about formats do not run; a spelling mistake would come up only when the engine asks the hub.

## Fix

Use a checkpoint of the model's entry (`launchplan list models`). For one of your own give its folder as
`model`.

## References

- launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.wording import shown


@rule("FAC104", "checkpoint-known", severity=WARNING)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look a checkpoint up that is named by a hub id."""
    deployment = resolved.deployment
    entry, name = deployment.model, deployment.recipe.value.checkpoint
    if entry is None or name is None or deployment.checkpoint_facts is not None or is_path(name):
        return
    near = get_close_matches(name, [each.id for each in entry.checkpoints], n=1)
    fix = (
        f"did you mean '{near[0]}'?"
        if near
        else f"see the {len(entry.checkpoints)} checkpoints of {entry.id}"
    )
    message = f"checkpoint {shown(name)} is not among those of {entry.id}: its format is not checked"
    yield Violation(message, ("checkpoint",), fix)


def is_path(name: str) -> bool:
    """Tell whether a checkpoint is a path rather than a hub id."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1
