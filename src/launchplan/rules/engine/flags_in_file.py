"""Flags that stand in a file of their own.

## Why

`--config` makes the engine read further flags from a file on the host. launchplan does not see them: no
check, no memory estimate and no runbook knows what they change, and they may contradict the recipe.

## Fix

Write the flags of the file under `args`.

## References

- vLLM 0.33.0 `vllm/utils/argparse_utils.py:606`
- SGLang 0.5.23 `utils/server_args_config_parser.py`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.catalog import Ambiguous
from launchplan.resolve import ResolvedPool
from launchplan.rules.flag_names import taken_for
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.wording import shown


@rule("ENG114", "flags-in-file", severity=WARNING)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Look for the flag that names a file of flags."""
    facts = pool.deployment.facts
    for key, value in pool.args.items():
        flag = taken_for(facts, key) if facts is not None else None
        if flag is None or isinstance(flag, Ambiguous) or flag.dest != "config" or not isinstance(value, str):
            continue
        message = f"config {shown(value)}: the flags in that file are not seen by any check"
        yield Violation(message, pool.arg_paths[key], "write its flags under args")
