"""Two keys of one mapping become the same flag.

## Why

Dashes and underscores are the same in a key of `args`, and a flag may have several names: `max-num-seqs` and
`max_num_seqs`, `q` and `quantization`. Only one of the two values reaches the engine, which of them is
nobody's decision.

## Fix

Keep one of them. A key under `vllm:`, `sglang:` or a pool's `args` may replace one of the recipe's `args`.

## References

- `argparse`: the last value wins; launchplan's `args`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from launchplan import catalog
from launchplan.catalog import Ambiguous, EngineFacts
from launchplan.engines.router import OF_ENGINE
from launchplan.finding import KeyPath
from launchplan.resolve import ENGINES, Resolved
from launchplan.resolve.build import flag_key
from launchplan.rules.flag_names import taken_for
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import cut


@rule("ENG113", "args-key-once", severity=ERROR, source="argparse: the last value wins")
def check(resolved: Resolved) -> Iterator[Violation]:
    """Look in each mapping for two keys of one flag."""
    for mapping, path, facts in _mappings(resolved):
        first: dict[str, str] = {}
        for name, value in mapping.items():
            if name in ENGINES and isinstance(value, Mapping):
                continue
            flag = _flag(name, facts)
            other = first.setdefault(flag, name)
            if other != name:
                message = f"{cut(name)} and {cut(other)} are the same flag: one of them is lost"
                yield Violation(message, (*path, name), f"remove {cut(name)} or {cut(other)}")


def _flag(name: str, facts: EngineFacts | None) -> str:
    """Name what a key becomes: the flag that the parser keeps, with the key of its JSON behind a dot."""
    key = flag_key(name)
    stem, dot, rest = key.partition(".")
    found = taken_for(facts, stem) if facts is not None else None
    if found is None or isinstance(found, Ambiguous) or found.action == "append":
        return key
    return f"{found.dest}{dot}{rest}"


def _mappings(resolved: Resolved) -> Iterator[tuple[Mapping[str, Any], KeyPath, EngineFacts | None]]:
    """List every mapping of raw flags that this engine or its router gets."""
    deployment = resolved.deployment
    recipe = deployment.recipe.value
    sections: list[tuple[Mapping[str, Any], KeyPath]] = [(recipe.args, ("args",))]
    if recipe.pools is not None:
        sections.append((recipe.pools.prefill.args, ("pools", "prefill", "args")))
        sections.append((recipe.pools.decode.args, ("pools", "decode", "args")))
    for section, path in sections:
        yield section, path, deployment.facts
        scoped = section.get(deployment.engine)
        if isinstance(scoped, Mapping):
            yield scoped, (*path, deployment.engine), deployment.facts
    if recipe.router is not None:
        kind = recipe.router.kind or OF_ENGINE[deployment.engine]
        known = catalog.versions(kind)
        yield recipe.router.args, ("router", "args"), catalog.engine_facts(kind, known[-1]) if known else None
