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

from launchplan import catalog
from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.spelling import misspelled
from launchplan.rules.wording import shown
from launchplan.units import plural


@rule("FAC104", "checkpoint-known", severity=WARNING)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look a checkpoint up that is named by a hub id."""
    deployment = resolved.deployment
    entry, name = deployment.model, deployment.recipe.value.checkpoint
    if entry is None or name is None or deployment.checkpoint_facts is not None or is_path(name):
        return
    if catalog.model(name) is not None:
        return  # another model's: FAC110
    near = misspelled(name, [each.id for each in entry.checkpoints])
    count = plural(len(entry.checkpoints), "checkpoint")
    fix = f"did you mean '{near}'?" if near else f"see the {count} of {entry.id}"
    message = f"checkpoint {shown(name)} is not among those of {entry.id}: its format is not checked"
    yield Violation(message, ("checkpoint",), fix)


def is_path(name: str) -> bool:
    """Tell whether a checkpoint is a path rather than a hub id."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1
