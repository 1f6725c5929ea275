"""An environment variable of the engine that this version does not read.

## Why

A misspelled or removed `VLLM_` or `SGLANG_` variable is ignored, and what it should have changed stays as it
was.

## Fix

Use the name of this version.

## References

- vLLM `vllm/envs.py`, SGLang `environ.py` of the version, in launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from launchplan.finding import KeyPath
from launchplan.resolve import Deployment, Resolved
from launchplan.rules.environment import variables
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.versions import bounds

PREFIXES = {"vllm": ("VLLM_",), "sglang": ("SGLANG_", "SGL_")}
CUTOFF = 0.8


@rule(
    "ENG107",
    "variable-known",
    severity=WARNING,
    source={"vllm": "vllm/envs.py", "sglang": "sglang/srt/environ.py"},
)
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look each variable with the engine's prefix up."""
    deployment = resolved.deployment
    releases = bounds(deployment)
    if not releases or not all(facts.variables for facts in releases):
        return
    for name, path in _own(resolved):
        if all(facts.variable(name) is None for facts in releases):
            yield Violation(f"{deployment.engine_label} does not read {name}", path, _cure(deployment, name))


def _own(resolved: Resolved) -> Iterator[tuple[str, KeyPath]]:
    prefixes = PREFIXES[resolved.deployment.engine]
    for name, _, path in variables(resolved):
        if name.startswith(prefixes) and path[0] != "router":
            yield name, path


def _cure(deployment: Deployment, name: str) -> str:
    known = [each.name for each in deployment.facts.variables] if deployment.facts else []
    near = get_close_matches(name, known, n=1, cutoff=CUTOFF)
    return f"did you mean {near[0]}?" if near else "remove it"
