"""There may be fewer blocks for recurrent state than max_num_seqs.

## Why

With full CUDA graphs vLLM stops when the largest batch has more requests than the pool has blocks. The pool's
interval has an end where that is so.

## Fix

A lower `serve.max_num_seqs`, or a larger pool.

## References

- vLLM 0.33.0 `vllm/config/compilation.py:1526`
- docs/memory.md
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.rules.given import serve_value
from launchplan.rules.memory.ranks import is_certain, rank_memory, span
from launchplan.rules.memory.states import state_blocks
from launchplan.rules.rule import WARNING, Violation, rule


@rule(
    "MEM207",
    "state-blocks-may-run-out",
    severity=WARNING,
    engines=("vllm",),
    source={"vllm": "vllm/config/compilation.py:1526 (0.33.0)"},
    at="memory",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare requests with blocks at the bad end."""
    memory = rank_memory(view)
    states = state_blocks(view, memory) if memory else None
    if memory is None or states is None or memory.budget.pool.bytes.low <= 0:
        return
    if states.blocks.low >= states.requests or (states.blocks.high < states.requests and is_certain(memory)):
        return
    message = f"max_num_seqs {states.requests:,}, and {span(states.blocks)} blocks for recurrent state"
    fix = f"lower max_num_seqs to {states.blocks.low:,.0f}"
    yield Violation(message, serve_value(view.pool, "max_num_seqs")[1], fix)
