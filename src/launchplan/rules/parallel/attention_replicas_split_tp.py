"""Attention replicas or context ranks that do not divide `--tp-size`.

## Why

For SGLang `--tp-size` counts every rank of a stage. Attention data parallelism and attention context
parallelism each take a factor of it; what is left splits the heads.

## Fix

Choose sizes whose product divides `--tp-size`.

## References

- SGLang 0.5.23 `arg_groups/parallel_hook.py:286`, `:326`, `:159`-`:164`; `runtime_context.py:250`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.cures import divisor_cure
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

FUSION = "enable_aiter_allreduce_fusion"


@sglang_rule("PAR301", "attention-replicas-split-tp", source="parallel_hook.py:326")
def check(view: SglangView) -> Iterator[Violation]:
    """Divide the ranks by the attention sizes."""
    held = view.settings
    tp, replicas, context = held.tp_size, held.attn_dp_size, held.attn_cp_size
    name = "attn_dp_size" if "attn_dp_size" in view.arguments else "dp_size"
    if replicas < 1:
        yield refuse(view, name, f"attn-dp-size is {replicas}, 1 is the least", "leave it out")
    elif held.attn_dp_enabled and tp % replicas:
        message = f"attn-dp-size {replicas} does not divide tp-size {tp}"
        yield refuse(view, name, message, divisor_cure("attn-dp-size", replicas, tp, tp))
    elif context > 1 and tp % (replicas * context):
        other = f" x attn-dp-size {replicas}" if replicas > 1 else ""
        message = f"attn-cp-size {context}{other} does not divide tp-size {tp}"
        yield refuse(view, "attn_cp_size", message, divisor_cure("attn-cp-size", context, tp, tp))
    elif view.arguments[FUSION] and max(context, held.moe_dp_size) > 1:
        message = "enable-aiter-allreduce-fusion does not go with context parallelism"
        yield refuse(view, FUSION, message, "remove enable-aiter-allreduce-fusion")
