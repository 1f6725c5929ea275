"""Expert sizes that do not divide `--tp-size`.

## Why

In SGLang expert parallelism, data parallelism of experts and the split of one expert share the ranks of
`--tp-size`: tp = ep x moe-dp x moe-tp. Arguments are compared only in part; the rest fails when the scheduler
process publishes its ranks. All-to-all backends such as DeepEP set ep to tp by themselves.

## Fix

Choose `--ep-size` and `--moe-dp-size` whose product divides `--tp-size`.

## References

- SGLang 0.5.23 `arg_groups/parallel_hook.py:170`-`:192`; `runtime_context.py:347`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.sglang.settings import SglangSettings
from launchplan.engines.sglang.view import SglangView
from launchplan.rules.cures import divisor_cure
from launchplan.rules.rule import Violation
from launchplan.rules.sglang import refuse, sglang_rule


@sglang_rule("PAR304", "experts-split-tp", source="parallel_hook.py:170")
def check(view: SglangView) -> Iterator[Violation]:
    """Compare the expert sizes with the ranks."""
    held = view.settings
    if held.tp_size < 1 or held.ep_size < 1 or held.moe_dp_size < 1:
        return
    problem = _replicas(view.after("cuda_graph.context_parallel_prefill"))
    if problem is not None:
        yield refuse(view, "moe_dp_size", problem, "leave moe-dp-size out")
    elif held.tp_size % (held.ep_size * held.moe_dp_size):
        groups = f" x moe-dp-size {held.moe_dp_size}" if held.moe_dp_size > 1 else ""
        message = f"ep-size {held.ep_size}{groups} does not divide tp-size {held.tp_size}"
        yield refuse(
            view, "ep_size", message, divisor_cure("ep-size", held.ep_size, held.tp_size, held.tp_size)
        )


def _replicas(held: SglangSettings) -> str | None:
    """Say what is wrong with data parallel experts, by the sizes before an all-to-all backend widens ep."""
    groups, ranks, parts = held.moe_dp_size, held.tp_size, held.ep_size
    if groups > 1:
        if ranks % groups:
            return f"moe-dp-size {groups} does not divide tp-size {ranks}"
        if parts * groups > ranks:
            return f"ep-size {parts} x moe-dp-size {groups} is more than tp-size {ranks}"
        if held.pp_size != 1:
            return f"moe-dp-size {groups} does not go with pp-size {held.pp_size}"
        if parts > 1 and parts * groups != ranks:
            return f"ep-size {parts} x moe-dp-size {groups} is not tp-size {ranks}"
        if held.attn_cp_size != groups:
            return f"moe-dp-size {groups} needs attn-cp-size {groups}, which is {held.attn_cp_size}"
    return None
