"""There are fewer blocks for recurrent state than max_num_seqs.

## Why

With full CUDA graphs every decoding request of a model with recurrent layers takes a block of the pool. vLLM
stops when the largest batch has more requests than there are blocks. SGLang stops when no state fits at all.
It is said only where the good end of the interval is too small.

## Fix

A lower `serve.max_num_seqs`, or a larger pool.

## References

- vLLM 0.33.0 `vllm/config/compilation.py:1526`; SGLang 0.5.23 `mem_cache/kv_cache_configurator.py:3394`
- docs/memory.md
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.engines import EngineView
from launchplan.rules.given import serve_value
from launchplan.rules.memory.ranks import between, is_certain, rank_memory, share_key, span
from launchplan.rules.memory.states import state_blocks
from launchplan.rules.places import layout_section
from launchplan.rules.rule import ERROR, Violation, rule


@rule(
    "MEM206",
    "state-blocks-for-requests",
    severity=ERROR,
    source={
        "vllm": "vllm/config/compilation.py:1526 (0.33.0)",
        "sglang": "sglang/srt/mem_cache/kv_cache_configurator.py:3394 (0.5.23)",
    },
    at="memory",
)
def check(view: EngineView) -> Iterator[Violation]:
    """Compare requests with blocks at the good end."""
    memory = rank_memory(view)
    if memory is None or not is_certain(memory) or memory.budget.pool.bytes.high <= 0:
        return
    slots = memory.capacity.state_slots
    if slots is not None and slots.high <= 0:
        message = f"no request's recurrent state fits a pool of {between(memory.budget.pool.bytes)}"
        yield Violation(message, layout_section(view.pool), f"raise {share_key(view)} or the ranks")
    states = state_blocks(view, memory)
    if states is not None and states.blocks.high < states.requests:
        message = (
            f"max_num_seqs {states.requests:,} exceeds the {span(states.blocks)} blocks for recurrent state"
        )
        fix = (
            f"lower max_num_seqs to {states.blocks.low:,.0f}" if states.blocks.low >= 1 else "raise the ranks"
        )
        yield Violation(message, serve_value(view.pool, "max_num_seqs")[1], fix)
