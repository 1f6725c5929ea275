"""A raw flag's value that its parser refuses.

## Why

The parser converts each value and compares it with its choices before anything starts: `--max-model-len 1e5`
is no number to vLLM, `--enforce-eager yes` is a stray word after a switch.

## Fix

Write the value as the flag wants it: `true` and `false` for switches, plain numbers, one of the choices.

## References

- types and choices of the flags by version in launchplan's catalog
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.catalog import EngineFacts, Flag
from launchplan.resolve import ResolvedPool
from launchplan.rules.engine.parsing import problem_of
from launchplan.rules.flag_names import taken_for
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.versions import is_exact


@rule("ENG103", "flag-value", severity=ERROR, source="the engine's argument parser", at="parse")
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Read each raw value as the parser does."""
    facts = pool.deployment.facts
    if facts is None or not is_exact(pool.deployment):
        return
    for key, value in pool.args.items():
        flag = _flag(facts, key)
        problem = problem_of(flag, value) if flag is not None else None
        if flag is not None and problem is not None:
            text, fix = problem
            yield Violation(f"{flag.name} {text}", pool.arg_paths[key], fix)


def _flag(facts: EngineFacts, key: str) -> Flag | None:
    """Find the flag whose value is given whole; `--flag.key` sets a part of it only."""
    if "." in key:
        return None
    found = taken_for(facts, key)
    return found if isinstance(found, Flag) else None
