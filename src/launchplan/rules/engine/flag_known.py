"""A raw flag that this engine version does not have.

## Why

Engines refuse to start on a flag that they don't know, and flags come and go with releases: vLLM 0.33.0 has
no `--swap-space` and no `--task`, SGLang 0.5.23 no `--enable-ep-moe`. Both parsers take a unique beginning
of a name, and refuse one that several flags begin with (`--pp` in SGLang).

## Fix

Use the name of this version. Where a flag was removed, its effect is the default now or has another name.

## References

- `argparse` of both engines with `allow_abbrev`; flags by version in launchplan's catalog
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from launchplan.catalog import Ambiguous, Flag
from launchplan.resolve import ResolvedPool
from launchplan.rules.flag_names import ambiguous_flag, flag_text, is_gone, taken_for, unknown_flag
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.versions import bounds

MODEL = frozenset({"model", "model-tag", "model-path", "model-name", "model-name-or-path"})
"""The positional argument, as people call it."""
LEVEL = re.compile(r"O([0-3]?)")
"""vLLM's short option, whose value sticks to it (vllm/utils/argparse_utils.py:395)."""


@rule("ENG101", "flag-known", severity=ERROR, source="the engine's argument parser", at="parse")
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look each raw flag up."""
    releases = bounds(pool.deployment)
    for key in pool.args:
        found = [taken_for(facts, key) for facts in releases]
        has_it = any(found) and not all(isinstance(each, Ambiguous) for each in found)
        if is_gone(pool.deployment, key) or (releases and not has_it):
            message, fix = _problem(pool, key, found[0] if found else None)
            yield Violation(message, pool.arg_paths[key], fix)


def _problem(pool: ResolvedPool, key: str, found: Flag | Ambiguous | None) -> tuple[str, str]:
    deployment, spelled = pool.deployment, flag_text(key)
    own = _own_key(pool, key)
    if own is not None:
        return f"{deployment.engine_label} has no flag {spelled}", own
    if isinstance(found, Ambiguous):
        return ambiguous_flag(deployment.engine, deployment.version, spelled, found)
    near = deployment.facts.nearest(spelled) if deployment.facts else None
    return unknown_flag(deployment.engine, deployment.version, spelled, near)


def _own_key(pool: ResolvedPool, key: str) -> str | None:
    """Name what says it in a recipe, for words of a command line that are no flags with two dashes."""
    name = key.partition(".")[0]
    if name.lower() in MODEL:
        return "set checkpoint (or model) of the recipe"
    level = LEVEL.fullmatch(name)
    if pool.deployment.engine != "vllm" or level is None:
        return None
    value = level[1] or pool.args[key]
    if name == key and isinstance(value, int | str) and str(value) in {"0", "1", "2", "3"}:
        return f"write 'optimization-level: {value}'"
    return "write optimization-level, or compilation-config"
