"""An output layer split for attention data parallelism that is not on.

## Why

`--enable-dp-lm-head` keeps the output layer inside an attention replica, and
`--enable-tp-lm-head-all-to-all` exchanges tokens between replicas before it; both need replicas, and they
exclude each other. The second needs one rank a replica.

## Fix

Remove the flag, or set `--attn-dp-size`.

## References

- SGLang 0.5.23 `arg_groups/overrides.py:1422`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule("PAR306", "output-layer-by-attention-dp", source="overrides.py:1422")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the output layer's layout with attention's."""
    held = view.settings
    name, flag = "enable_tp_lm_head_all_to_all", "enable-tp-lm-head-all-to-all"
    if not held.attn_dp_enabled:
        if held.enable_tp_lm_head_all_to_all:
            yield refuse(view, name, f"{flag} needs attn-dp-size above 1", f"remove {flag}")
        return
    if not held.enable_tp_lm_head_all_to_all:
        return
    if held.enable_dp_lm_head:
        yield refuse(view, name, f"{flag} does not go with enable-dp-lm-head", f"remove {flag}")
    elif held.tp_size != held.attn_dp_size:
        message = f"{flag} needs attn-dp-size {held.attn_dp_size} to be tp-size {held.tp_size}"
        yield refuse(view, name, message, f"remove {flag}")
    elif held.attn_cp_size != 1:
        yield refuse(view, name, f"{flag} needs attn-cp-size 1, not {held.attn_cp_size}", f"remove {flag}")
