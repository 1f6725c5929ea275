"""More ranks than key heads of the Gated DeltaNet layers.

## Why

Gated DeltaNet has fewer key heads than value heads, 16 on most Qwen models. The engines check the value
heads; with more ranks than key heads a rank's slice is less than one head. The model class builds, and what
its kernels make of it nobody has shown.

## Fix

Keep `tp` at a divisor of the key heads and add GPUs with `pp`, or with `dp` and `ep`.

## References

- vLLM 0.33.0 builds Qwen3.5-122B-A10B (16 key heads, 64 value heads) at tp 32; nothing was run
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.cures import tp_cure
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.splits import heads
from launchplan.rules.widths import attention_tp
from launchplan.units import plural


@rule("PAR125", "tp-splits-key-heads", severity=WARNING)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the key heads with the ranks that share them."""
    model, size = pool.architecture, attention_tp(pool)
    linear = model.linear_attention if model else None
    keys = linear.num_key_heads if linear else None
    if model is None or linear is None or keys is None or keys % size == 0 or not heads(model, size):
        return
    if linear.num_value_heads is None or linear.num_value_heads % size:
        return  # value heads that do not split are PAR114
    message = f"tp {size} does not divide {plural(keys, 'Gated DeltaNet key head')}"
    yield Violation(message, pool.path("parallel", "tp"), tp_cure(pool))
