"""The model's architecture is not one that launchplan knows.

## Why

Keys of a `config.json` mean different things in different families. For an unknown one only what is named
alike everywhere is used; layers by kind, experts and recurrent state stay unknown, and the rules that need
them do not run.

## Fix

Nothing has to change. A new family is one entry in `architecture/families.py`.

## References

- launchplan's table of families
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved
from launchplan.rules.rule import WARNING, Violation, rule


@rule("FAC107", "architecture-known", severity=WARNING)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look the architecture's family up."""
    model = resolved.deployment.architecture
    if model is None or model.known:
        return
    name = ", ".join(model.architectures) or model.model_type or "without a name"
    message = f"architecture {name} is unknown: kv heads, experts and vocabulary are not checked"
    yield Violation(message, ("model",), "compare the layout with the engine's own documentation")
