"""Elastic expert parallelism with settings that it does not work with.

## Why

Ranks that join and leave need a backend that can do it, one pipeline stage, and an expert placement that
knows of it.

## Fix

Change what the message names.

## References

- SGLang 0.5.23 `arg_groups/parallel_hook.py:519`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.view import SglangView
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule

PLACEMENTS = ("auto", "elasticity_aware", "elasticity_aware_hierarchical")


@sglang_rule("PAR312", "elastic-ranks", source="parallel_hook.py:519")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the flags of elastic experts."""
    given, held = view.arguments, view.settings
    largest = given["max_ep_size"]
    if given["elastic_ep_backend"] is not None:
        yield from _backend(view)
    elif given["ep_join_mode"] is not None:
        yield refuse(view, "ep_join_mode", "elastic-ep-join-mode needs elastic-ep-backend", "add it")
    elif largest is not None:
        yield refuse(view, "max_ep_size", "max-ep-size needs elastic-ep-backend", "leave max-ep-size out")
    if given["ep_join_rank_offset"] and given["ep_join_mode"] != "scale":
        message = "elastic-ep-join-rank-offset needs elastic-ep-join-mode scale"
        yield refuse(view, "ep_join_rank_offset", message, "leave it out")
    if largest is not None and largest <= 0:
        yield refuse(view, "max_ep_size", f"max-ep-size is {largest}, 1 is the least", "leave it out")
    grows = given["elastic_ep_backend"] is not None and largest is not None and largest > held.tp_size
    if given["elastic_ep_initial_size"] is not None and not grows:
        message = "elastic-ep-initial-size needs max-ep-size above tp-size"
        yield refuse(view, "elastic_ep_initial_size", message, "leave it out")
    if grows:
        yield from _growth(view)


def _backend(view: SglangView) -> Iterator[Violation]:
    given, pp = view.arguments, view.settings.pp_size
    if given["enable_eplb"] and given["eplb_algorithm"] not in PLACEMENTS:
        message = f"elastic-ep-backend does not take eplb-algorithm {given['eplb_algorithm']}"
        yield refuse(view, "eplb_algorithm", message, "leave eplb-algorithm out")
    if pp != 1:
        message = f"elastic-ep-backend needs pp-size 1, not {pp}"
        yield refuse(view, "elastic_ep_backend", message, "leave pp-size out")
    if given["ep_join_mode"] == "scale" and given["node_rank"] != 1:
        message = f"elastic-ep-join-mode scale needs node-rank 1, not {given['node_rank']}"
        yield refuse(view, "ep_join_mode", message, "use node-rank 1")
    if given["ep_join_mode"] == "scale" and (given["ep_join_rank_offset"] or 0) <= 0:
        message = "elastic-ep-join-mode scale needs elastic-ep-join-rank-offset"
        yield refuse(view, "ep_join_mode", message, "add elastic-ep-join-rank-offset")


def _growth(view: SglangView) -> Iterator[Violation]:
    """Compare the layout with what ranks can join (`parallel_hook.py:582`)."""
    given, held = view.arguments, view.settings
    needs = {
        "tp-size divided by attn-dp-size": held.attention_tp is not None,
        "moe-dense-tp-size 1": held.attention_tp in {None, 1} or held.moe_dense_tp_size == 1,
        "tokenizer-worker-num 1": given["tokenizer_worker_num"] == 1,
        "no use-ray": not given["use_ray"],
        "no enable-elastic-expert-backup": not given["enable_elastic_expert_backup"],
        "load-balance-method round_robin": held.load_balance_method in {"auto", "round_robin"},
        "elastic-ep-backend mooncake": given["elastic_ep_backend"] == "mooncake",
        "attn-dp-size above 1": held.attn_dp_enabled,
        "enable-dp-lm-head": held.enable_dp_lm_head,
        "attn-cp-size 1": held.attn_cp_size == 1,
        "moe-dp-size 1": held.moe_dp_size == 1,
        "ep-size equal to tp-size": held.ep_size == held.tp_size,
        "moe-a2a-backend nixl": held.moe_a2a_backend == "nixl",
        "cuda-graph-backend-prefill disabled": not held.complete or not held.prefill_graph.on,
    }
    missing = next((what for what, kept in needs.items() if not kept), None)
    if missing is not None:
        message = f"max-ep-size above tp-size needs {missing}"
        yield refuse(view, "max_ep_size", message, "leave max-ep-size out")
