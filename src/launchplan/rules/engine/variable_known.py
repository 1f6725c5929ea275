"""An environment variable of the engine that this version does not read.

## Why

A misspelled or removed `VLLM_` or `SGLANG_` variable is ignored, and what it should have changed stays as it
was. Several of vLLM's became flags: `VLLM_ATTENTION_BACKEND` is `--attention-backend` now.

## Fix

Use the name of this version, or the flag that took its place.

## References

- vLLM `vllm/envs.py`, SGLang `environ.py` of the version and what their modules read by name, in the
  catalog of launchplan
- what became a flag: `rules/moved_variables.py`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan import catalog
from launchplan.catalog.version import version_key
from launchplan.finding import KeyPath
from launchplan.resolve import Deployment, Resolved
from launchplan.rules.environment import variables
from launchplan.rules.moved_variables import moved_to
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.spelling import misspelled
from launchplan.rules.versions import bounds

PREFIXES = {"vllm": ("VLLM_",), "sglang": ("SGLANG_", "SGL_")}
CUTOFF = 0.92
"""Share of letters; names with less in common mean different things."""


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
    facts = deployment.facts
    moved = moved_to(facts, name) if facts else None
    if moved is not None:
        return f"set {moved.text} under args instead"
    having = _versions_reading(deployment.engine, name)
    if having:
        past = version_key(having[-1]) < version_key(deployment.version)
        return f"remove it: {having[-1]} still read it" if past else f"remove it: {having[0]} reads it"
    known = [each.name for each in facts.variables] if facts else []
    near = misspelled(name, known, CUTOFF)
    return f"did you mean {near}?" if near else "remove it"


def _versions_reading(engine: str, name: str) -> tuple[str, ...]:
    """List the known versions that read a variable, oldest first."""
    found = [(version, catalog.engine_facts(engine, version)) for version in catalog.versions(engine)]
    return tuple(version for version, facts in found if facts is not None and facts.variable(name))
