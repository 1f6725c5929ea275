"""A flag without the flag that it needs, or beside one that excludes it.

## Why

SGLang compares flags with each other when it has read them all: keys with certificates, gRPC with what its
server can't do, exporters with where they export to.

## Fix

Add or remove the flag that the message names.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:190`, `:301`, `:323`-`:380`, `:112`;
  `arg_groups/serving_hook.py:66`-`:160`, `:264`, `:378`-`:433`, `:700`; `arg_groups/memory_hook.py:31`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.companions import PAIRS
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule("ENG369", "sglang-flag-companion", source="validation_hook.py:323")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare flags with their companions."""
    for pair in PAIRS:
        if pair.broken(view):
            yield refuse(view, pair.name, pair.message, pair.fix)
