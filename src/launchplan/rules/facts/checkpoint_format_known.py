"""A checkpoint on disk whose format nobody told.

## Why

`checkpoint` is a path, and `model` a catalog entry: the entry's dimensions hold, but how this folder stores
its weights is not known, so rules about formats do not run.

## Fix

Give the folder as `model` on a machine that has it; its `config.json` is read then.

## References

- launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved
from launchplan.rules.facts.checkpoint_known import is_path
from launchplan.rules.rule import INFO, Violation, rule
from launchplan.rules.wording import shown


@rule("FAC108", "checkpoint-format-known", severity=INFO)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Tell about a checkpoint that is a path beside a catalog model."""
    deployment = resolved.deployment
    name = deployment.recipe.value.checkpoint
    if (
        deployment.model is None
        or name is None
        or deployment.checkpoint_facts is not None
        or not is_path(name)
    ):
        return
    message = f"the weight format of {shown(name)} is unknown: rules about formats do not run"
    yield Violation(message, ("checkpoint",), "give the folder as model where it exists")
