"""Elastic expert parallelism without what it stands on.

## Why

Elastic expert parallelism adds and removes ranks under way: the expert load balancer moves the experts,
pipeline stages and one load balancer a node are not supported, and the largest size is at least the first
one.

## Fix

Add `--enable-eplb`; remove pp and the hybrid load balancer.

## References

- vLLM 0.33.0 `vllm/config/parallel.py:976-1000`, `:1044`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, on
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("PAR211", "elastic-experts", source="config/parallel.py:976")
def check(view: VllmView) -> Iterator[Violation]:
    """Look at what elastic experts stand on."""
    if not on(view, "enable_elastic_ep"):
        return
    sizes, most = view.settings.parallel, count(view, "elastic_ep_max_dp_size", 1)
    if not on(view, "enable_eplb"):
        yield refuse(view, "enable_elastic_ep", "enable-elastic-ep without enable-eplb", "add enable-eplb")
    elif sizes.pp > 1:
        yield refuse(view, "enable_elastic_ep", f"enable-elastic-ep with pp {sizes.pp}", "use pp 1")
    elif sizes.hybrid_lb:
        yield refuse(
            view, "enable_elastic_ep", "enable-elastic-ep with data-parallel-hybrid-lb", "remove one"
        )
    elif most is not None and most < sizes.dp:
        message = f"elastic-ep-max-dp-size {most} is below data-parallel-size {sizes.dp}"
        yield refuse(view, "elastic_ep_max_dp_size", message, f"use {sizes.dp} or more")
