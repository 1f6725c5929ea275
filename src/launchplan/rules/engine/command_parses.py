"""The rendered command line is one that the engine's parser refuses.

## Why

A value of a typed key becomes a flag as well, and the parser has its own idea of it: `dtype: fp8` is no
choice, `served_model_name: -x` looks like another flag, an empty list leaves its flag without a value. The
server ends at once with a usage line, on every host.

## Fix

Write what the flag takes; `launchplan show` prints the command line that is meant.

## References

- `argparse`, with the flags of the version in launchplan's catalog
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.engines.arguments import Refusal
from launchplan.finding import KeyPath
from launchplan.rules.engine import flag_known, flag_value
from launchplan.rules.engine.parsing import nearest_choice
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.wording import cut, shown


@rule("ENG112", "command-parses", severity=ERROR, source="the engine's argument parser", at="parse")
def check(view: EngineView) -> Iterator[Violation]:
    """Report the parser's refusal of the head's command line, where no rule about one raw flag does."""
    refusal = view.arguments.refusal
    if refusal is None:
        return
    told = {each.path for one in (flag_known, flag_value) for each in one.check.check(view.pool)}
    path = view.refused if view.refused is not None else view.path(refusal.flag.dest if refusal.flag else "")
    if path in told or (refusal.unknown is not None and told):
        return
    yield violation_of(refusal, path)


def violation_of(refusal: Refusal, path: KeyPath) -> Violation:
    """Say what a parser has against a command line, and the cure."""
    flag = refusal.flag
    if flag is None:
        return Violation(cut(refusal.message), path)
    chosen = re.match(r"invalid choice: '(.*?)'", refusal.message)
    if chosen is not None and flag.choices:
        return Violation(
            f"{flag.name} has no choice {shown(chosen[1])}", path, nearest_choice(flag, chosen[1])
        )
    fix = "a value can't be empty, nor begin with a dash" if refusal.message.startswith("expected") else None
    return Violation(f"{flag.name}: {cut(refusal.message)}", path, fix)
