"""A prefix cache on a decode instance beside something that it does not share slots with.

## Why

The decode instance's radix cache is experimental: of the draft algorithms EAGLE, EAGLE3 and DSPARK keep their
caches in step with it, and HiSparse keeps none.

## Fix

Remove `disaggregation-decode-enable-radix-cache`.

## References

- SGLang 0.5.23 `arg_groups/speculative_hook.py:169`, `arg_groups/pd_disaggregation_hook.py:100`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import algorithm_of, refuse, sglang_rule

NAME = "disaggregation_decode_enable_radix_cache"
ALGORITHMS = (None, "DSPARK", "EAGLE", "EAGLE3")


@sglang_rule("DIS302", "decode-radix-cache", source="speculative_hook.py:169")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for what the decode instance's prefix cache does not go with."""
    given = view.arguments
    if given["disaggregation_mode"] != "decode" or not given[NAME]:
        return
    fix = f"remove {NAME.replace('_', '-')}"
    if given["enable_hisparse"]:
        yield refuse(view, NAME, f"{NAME.replace('_', '-')} does not work with enable-hisparse", fix)
    algorithm = algorithm_of(view)
    if algorithm not in ALGORITHMS:
        message = f"{NAME.replace('_', '-')} does not work with algorithm {algorithm}"
        yield refuse(view, NAME, message, fix)
