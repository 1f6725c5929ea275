"""More ranks than KV heads in a model class that copies none.

## Why

Most model classes of vLLM hold a KV head on several ranks when there are fewer heads than ranks. A few
divide the heads by `tp` and take what comes out: GPT-OSS then builds attention with zero KV heads and
dies with a division by zero, others say so.

## Fix

Use `tp` up to the number of KV heads, and pipeline stages or data parallel ranks for the other GPUs.

## References

- vLLM 0.33.0 `vllm/model_executor/models/gpt_oss.py:156`, `model_executor/layers/attention/attention.py:329`,
  `model_executor/models/param2moe.py:121`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.cures import tp_cure
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.units import plural

UNCOPIED = {
    "GptOssForCausalLM": "vllm/model_executor/models/gpt_oss.py:156 (0.33.0)",
    "Param2MoEForCausalLM": "vllm/model_executor/models/param2moe.py:121 (0.33.0)",
}
"""Classes that divide the KV heads without keeping one for each rank."""


@rule(
    "PAR403",
    "kv-heads-for-each-rank",
    severity=ERROR,
    engines=("vllm",),
    since={"vllm": "0.33.0"},
    source="vllm/model_executor/models/gpt_oss.py:156 (0.33.0)",
    at="worker",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the ranks with the KV heads."""
    model, tp = pool.architecture, pool.parallel.tp
    source = (
        next((UNCOPIED[name] for name in model.architectures if name in UNCOPIED), None) if model else None
    )
    count = model.num_key_value_heads if model else None
    if source is None or count is None or tp <= count or tp % count:
        return
    message = f"tp {tp} exceeds the {plural(count, 'KV head')}, of which this model class makes no copies"
    yield Violation(message, pool.path("parallel", "tp"), tp_cure(pool, lambda size: size <= count), source)
