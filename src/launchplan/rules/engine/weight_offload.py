"""Groups of weights to offload that cannot be made.

## Why

The prefetching backend leaves `offload-num-in-group` of every `offload-group-size` layers on the host: it
needs a group size, no more layers than the group has, and a step of at least one.

## Fix

Set `offload-group-size`, or leave the offload flags out.

## References

- vLLM 0.33.0 `vllm/config/offload.py:102`, `:108`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count, text
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule

FLAGS = ("offload_group_size", "offload_num_in_group", "offload_prefetch_step", "offload_backend")


@vllm_rule("ENG219", "weight-offload-groups", source="config/offload.py:102", about=FLAGS)
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the sizes of the prefetching backend."""
    group, many = count(view, "offload_group_size") or 0, count(view, "offload_num_in_group", 1)
    step, backend = count(view, "offload_prefetch_step"), text(view, "offload_backend")
    if backend != "prefetch" and group == 0:
        return
    if many is not None and many > group:
        flag = "offload_num_in_group" if group else "offload_backend"
        message = f"offload-num-in-group {many} is above offload-group-size {group}"
        yield refuse(view, flag, message, f"use offload-group-size {many} or more")
    elif step is not None and step < 1:
        message = f"offload-prefetch-step {step} prefetches nothing"
        yield refuse(view, "offload_prefetch_step", message, "use 1 or more", source="config/offload.py:108")
