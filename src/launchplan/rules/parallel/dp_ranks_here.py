"""More data parallel ranks on this node than there are, or a rank beyond the last.

## Why

Ranks count from 0 to the data parallel size. A node cannot hold more of them than there are, nor start at
one that does not exist.

## Fix

Lower `--data-parallel-size-local`, or the first rank.

## References

- vLLM 0.33.0 `vllm/config/parallel.py:546`, `:1018`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.settings.reading import count
from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule


@vllm_rule("PAR204", "dp-ranks-here", source="config/parallel.py:546")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare this node's ranks with all of them."""
    sizes = view.settings.parallel
    if sizes.dp_local > sizes.dp:
        message = f"data-parallel-size-local {sizes.dp_local} exceeds data-parallel-size {sizes.dp}"
        yield refuse(view, "data_parallel_size_local", message, f"use {sizes.dp} or less")
    elif (sizes.dp > 1 or sizes.dp_local == 0) and not 0 <= first_rank(view) < sizes.dp:
        message = f"data parallel rank {first_rank(view)} does not exist: ranks go from 0 to {sizes.dp - 1}"
        given = "data_parallel_rank" if "data_parallel_rank" in view.arguments else "data_parallel_start_rank"
        yield refuse(view, given, message, "give this node's first rank", source="config/parallel.py:1018")


def first_rank(view: VllmView) -> int:
    """Give the first rank of this process as it is written, else as it is inferred."""
    for name in ("data_parallel_rank", "data_parallel_start_rank"):
        if (found := count(view, name, -(2**31))) is not None:
            return found
    return view.settings.parallel.dp_rank
