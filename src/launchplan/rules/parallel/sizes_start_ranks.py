"""A parallel size of zero or less.

## Why

SGLang's parser takes any number. A size below one comes to nothing when the scheduler works out its ranks: it
divides by it, or finds no rank inside it.

## Fix

Leave the flag out, or give one or more.

## References

- SGLang 0.5.23 `runtime_context.py:110`, `:130`, `:250`; `arg_groups/validation_hook.py:179`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

SIZES = ("tp_size", "pp_size", "ep_size", "moe_dp_size", "attn_cp_size")


@sglang_rule("PAR303", "sizes-start-ranks", source="validation_hook.py:179")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for sizes that hold no rank."""
    for name in SIZES:
        value = getattr(view.settings, name)
        if value < 1:
            flag = name.replace("_", "-")
            yield refuse(view, name, f"{flag} is {value}, 1 is the least", f"leave {flag} out")
    if view.settings.nnodes == 0:
        yield refuse(view, "nnodes", "nnodes is 0, 1 is the least", "leave nnodes out")
