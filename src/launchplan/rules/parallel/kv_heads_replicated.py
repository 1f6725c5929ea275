"""KV heads are copied because the tensor parallel size is larger than their number.

## Why

With fewer KV heads than ranks each KV head is held by several ranks. That works, but the KV cache of a rank
stops getting smaller: from there on a larger size adds GPUs without adding room for requests.

## Fix

Decode context parallelism (`dcp`) lets the ranks that hold the same head share its cache by position. Data
parallel ranks instead of a wider tensor parallel group do the same for throughput.

## References

- vLLM 0.33.0 `vllm/model_executor/layers/linear.py:1066`
- SGLang 0.5.23 `layers/linear.py:1140`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.rule import INFO, Violation, rule
from launchplan.rules.splits import has_kv_heads
from launchplan.rules.widths import attention_tp
from launchplan.units import plural


@rule(
    "PAR102",
    "kv-heads-replicated",
    severity=INFO,
    source={
        "vllm": "vllm/model_executor/layers/linear.py:1066 (0.33.0)",
        "sglang": "sglang/srt/layers/linear.py:1140 (0.5.23)",
    },
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Tell when KV heads are held more than once and nothing shares them."""
    model, size = pool.architecture, attention_tp(pool)
    count = model.num_key_value_heads if model and has_kv_heads(model) else None
    if count is None or count >= size or size % count:
        return
    copies = size // count
    if pool.parallel.dcp >= copies:
        return
    heads = plural(count, "KV head")
    message = f"{heads} over tp {size}: each is held by {copies} ranks, the KV cache is split by {count} only"
    queries = (model.num_attention_heads or 0) // count if model else 0
    shares = pool.deployment.engine == "vllm" and queries % copies == 0
    yield Violation(
        message,
        pool.path("parallel", "tp"),
        f"dcp {copies} splits it further by position" if shares else None,
    )
