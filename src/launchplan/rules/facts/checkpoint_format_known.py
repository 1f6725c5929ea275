"""A checkpoint whose way of storing weights is not known.

## Why

Either `checkpoint` is a path and `model` a catalog entry: the entry's dimensions hold, but how this folder
stores its weights is not known, so rules about formats do not run. Or the catalog names the checkpoint and
its format, but nobody has read its quantization settings: the rules about the method, its blocks and its KV
cache do not run.

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
    """Tell about a checkpoint that is a path beside a catalog model, or whose settings nobody read."""
    deployment = resolved.deployment
    name, facts = deployment.recipe.value.checkpoint, deployment.checkpoint_facts
    if deployment.model is None:
        return
    if facts is None and name is not None and is_path(name):
        message = f"the weight format of {shown(name)} is unknown: rules about formats do not run"
        yield Violation(message, ("checkpoint",), "give the folder as model where it exists")
    elif facts is not None and _unread(resolved):
        message = f"the quantization settings of {facts.id} were not read: its method is not checked"
        path = ("checkpoint",) if name else ("model",)
        yield Violation(message, path, "give a folder with its config.json as model")


def _unread(resolved: Resolved) -> bool:
    model = resolved.deployment.architecture
    return model is not None and "quantization.method" in model.unknown
