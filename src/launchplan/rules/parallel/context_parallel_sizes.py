"""Decode and prefill context parallelism whose groups do not nest.

## Why

With prefill context parallelism a decode group is off, spans the prefill context ranks, or spans tensor and
prefill context ranks together. vLLM has no group for anything between.

## Fix

Set `--decode-context-parallel-size` to 1, to the prefill size, or to tp x the prefill size.

## References

- vLLM 0.33.0 `vllm/config/parallel.py:602`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.vllm.view import VllmView
from launchplan.rules.rule import Violation
from launchplan.rules.vllm import refuse, vllm_rule
from launchplan.units import choice_text


@vllm_rule("PAR202", "context-parallel-sizes", source="config/parallel.py:602")
def check(view: VllmView) -> Iterator[Violation]:
    """Compare the decode size with the groups that there are."""
    sizes = view.settings.parallel
    fitting = sorted({1, sizes.pcp, sizes.tp * sizes.pcp})
    if sizes.pcp == 1 or sizes.dcp in fitting:
        return
    message = f"dcp {sizes.dcp} does not nest with tp {sizes.tp} and prefill context size {sizes.pcp}"
    yield refuse(view, "decode_context_parallel_size", message, f"use dcp {choice_text(fitting)}")
