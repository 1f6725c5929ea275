"""A share of sliding window tokens outside of 0 to 1.

## Why

`--swa-full-tokens-ratio` sizes the pool of sliding window layers as a share of the other layers' pool.

## Fix

Use a number above 0 and up to 1, or leave it out.

## References

- SGLang 0.5.23 `arg_groups/kv_cache_hook.py:427`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule("ENG315", "window-ratio-in-range", source="kv_cache_hook.py:427")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the shares with their ranges."""
    ratio, tails = view.settings.swa_full_tokens_ratio, view.arguments["swa_prefix_tails"]
    if not 0 < ratio <= 1:
        message = f"swa-full-tokens-ratio is {ratio}, above 0 up to 1 works"
        yield refuse(view, "swa_full_tokens_ratio", message, "leave swa-full-tokens-ratio out")
    if tails is not None and tails < 0:
        message = f"swa-prefix-tails is {tails}, 0 is the least"
        yield refuse(view, "swa_prefix_tails", message, "leave swa-prefix-tails out")
