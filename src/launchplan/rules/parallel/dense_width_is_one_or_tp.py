"""A width of the dense layers that SGLang does not make.

## Why

`--moe-dense-tp-size` lets the dense layers of a model with experts be split by one rank instead of all;
nothing in between is implemented.

## Fix

Use 1, or leave it out.

## References

- SGLang 0.5.23 `arg_groups/validation_hook.py:207`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule("PAR305", "dense-width-is-one-or-tp", source="validation_hook.py:207")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the width with the two that exist."""
    held = view.settings
    width = held.moe_dense_tp_size
    if width not in {None, 1, held.tp_size}:
        message = f"moe-dense-tp-size {width} is neither 1 nor tp-size {held.tp_size}"
        yield refuse(view, "moe_dense_tp_size", message, "use moe-dense-tp-size 1")
