"""Decode context parallel size does not divide the tensor parallel size.

## Why

Decode context parallelism takes no GPUs of its own: it cuts the tensor parallel group into smaller groups
that share the KV cache by position. The groups must come out even.

## Fix

Take a divisor of `tp`.

## References

- vLLM 0.33.0 `vllm/config/parallel.py:600`
- SGLang 0.5.23 `distributed/parallel_state.py:2665`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines.view import EngineView
from launchplan.rules.cures import divisor_cure
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sizes import engine_size


@rule(
    "PAR112",
    "dcp-divides-tp",
    severity=ERROR,
    source={
        "vllm": "vllm/config/parallel.py:600 (0.33.0)",
        "sglang": "sglang/srt/distributed/parallel_state.py:2665 (0.5.23)",
    },
    at={"vllm": "config", "sglang": "worker"},
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the decode context parallel size with the group that it cuts."""
    dcp = view.arguments["dcp_size" if view.engine == "sglang" else "decode_context_parallel_size"]
    if not isinstance(dcp, int) or dcp <= 1:
        return
    pool, size = view.pool, engine_size(view)
    if size % dcp == 0:
        return
    if (view.arguments["prefill_context_parallel_size"] or 1) > 1:
        return
    name = "tp" if size == pool.parallel.tp else "tp x dp ="
    message = f"dcp {dcp} does not divide {name} {size}"
    yield Violation(
        message, pool.path("parallel", "dcp"), divisor_cure("dcp", dcp, pool.parallel.tp, pool.parallel.tp)
    )
