"""Nothing shows that this layout was ever run.

## Why

A capacity estimate is not a deployment. A recipe says whether it was run by whoever wrote it (`verified`),
published by others (`documented`), or computed only (`derived`), so that nobody takes one for the other.

## Fix

After a run write `evidence: {status: verified, source: …, checked: …}`; for a published deployment
`documented` with its source.

## References

- launchplan's recipe: `evidence`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import Resolved
from launchplan.rules.given import evidenced
from launchplan.rules.rule import INFO, Violation, rule


@rule("OPS102", "layout-was-run", severity=INFO)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look for evidence that is more than a computation."""
    deployment = resolved.deployment
    if evidenced(deployment):
        return
    written, now = deployment.recipe.value.evidence, deployment.evidence
    if written is not None and now is not None and written.status != now.status:
        message = "--set changed what the recipe's evidence speaks of: nothing shows that this was run"
        yield Violation(message, ("evidence",))
        return
    what = "evidence is 'derived': " if written is not None else "no evidence: "
    fix = "once it ran, add 'evidence' with status verified and its source"
    yield Violation(f"{what}nothing shows that this layout was run", ("evidence",), fix)
