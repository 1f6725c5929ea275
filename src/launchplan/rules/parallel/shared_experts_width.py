"""A width of the shared experts that SGLang does not make.

## Why

`--shared-experts-tp-size` is for Kimi-K3 with an all-to-all backend, and splits the attention ranks evenly.

## Fix

Leave the flag out, or use a divisor of the attention ranks.

## References

- SGLang 0.5.23 `arg_groups/parallel_hook.py:203`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import first_class, refuse, sglang_rule

NAME = "shared_experts_tp_size"
MODEL = "KimiK3ForConditionalGeneration"
EXCHANGES = ("deepep", "megamoe", "mooncake", "ascend_fuseep", "mori")


@sglang_rule("PAR309", "shared-experts-width", source="parallel_hook.py:203")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the width with model, ranks and exchange."""
    size, held, name = view.arguments[NAME], view.settings, first_class(view)
    if size is None:
        return
    ranks = held.attention_tp
    fix = "leave shared-experts-tp-size out"
    if size < 1 or (ranks is not None and ranks % size):
        yield refuse(
            view, NAME, f"shared-experts-tp-size {size} does not divide {ranks} attention ranks", fix
        )
    elif name is not None and name != MODEL:
        yield refuse(view, NAME, f"shared-experts-tp-size is for Kimi-K3, not {name}", fix)
    elif held.moe_a2a_backend not in EXCHANGES:
        message = (
            f"shared-experts-tp-size needs an all-to-all backend, moe-a2a-backend is {held.moe_a2a_backend}"
        )
        yield refuse(view, NAME, message, "use moe-a2a-backend deepep")
