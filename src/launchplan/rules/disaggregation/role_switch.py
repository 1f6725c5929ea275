"""A role switch of an instance whose state is not rebuilt.

## Why

`--enable-pd-role-switch` turns a prefill instance into a decode instance while it runs. Expert, pipeline and
decode context parallelism and drafts keep state by role that is not made anew.

## Fix

Remove `enable-pd-role-switch`, or what the message names.

## References

- SGLang 0.5.23 `arg_groups/pd_disaggregation_hook.py:168`-`:201`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import joins_attention_dp, refuse, sglang_rule


@sglang_rule("DIS303", "role-switch", source="pd_disaggregation_hook.py:196")
def check(view: SglangView) -> Iterator[Violation]:
    """Look for what a switch of roles does not rebuild."""
    given = view.arguments
    if not given["enable_pd_role_switch"] or given["disaggregation_mode"] == "null":
        return
    algorithm, broadcast = (
        given["speculative_algorithm"],
        given["enable_dp_attention_local_control_broadcast"],
    )
    exchange = view.after("disaggregation.roles").moe_a2a_backend
    kept = [
        (f"ep {given['ep_size']}", given["ep_size"] > 1),
        (f"moe-a2a-backend {exchange}", exchange != "none"),
        (f"pp {given['pp_size']}", given["pp_size"] > 1),
        (f"dcp {given['dcp_size']}", given["dcp_size"] > 1),
        (f"speculative-algorithm {algorithm}", algorithm is not None),
        ("enable-dp-attention-local-control-broadcast", bool(broadcast) and joins_attention_dp(view)),
    ]
    for what, there in kept:
        if there:
            message = f"enable-pd-role-switch does not rebuild {what}"
            yield refuse(view, "enable_pd_role_switch", message, f"remove {what} or enable-pd-role-switch")
