"""Decode context parallelism where no KV head is held twice.

## Why

With grouped-query attention vLLM's decode context parallelism shares the cache of a KV head among the ranks
that hold a copy of it. There are copies only when `tp` is larger than the number of KV heads, tp / heads of
each. Latent attention keeps one vector for all heads and has no such limit.

## Fix

Raise `tp`, or lower `dcp` to tp / KV heads.

## References

- vLLM 0.33.0 `vllm/config/model.py:1582`, `:1592`, `:1602`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.architecture import Architecture
from launchplan.resolve import ResolvedPool
from launchplan.rules.cures import LARGEST_SIZE
from launchplan.rules.given import raw_count
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.splits import has_kv_heads
from launchplan.units import choice_text, divisors, plural


@rule(
    "PAR113",
    "dcp-fits-kv-heads",
    severity=ERROR,
    engines=("vllm",),
    source="vllm/config/model.py:1582, 1592, 1602 (0.33.0)",
    at="config",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the decode context parallel size with the copies of a KV head."""
    model, tp, dcp = pool.architecture, pool.parallel.tp, pool.parallel.dcp
    if dcp == 1 or model is None or not has_kv_heads(model):
        return
    if tp % dcp and (raw_count(pool, "prefill_context_parallel_size") or 1) == 1:
        return  # PAR112 says that dcp does not divide tp
    problem = _problem(model, tp, dcp)
    if problem is not None:
        yield Violation(problem, pool.path("parallel", "dcp"), _cure(model, tp))


def _problem(model: Architecture, tp: int, dcp: int) -> str | None:
    count = model.num_key_value_heads or 1
    heads = plural(count, "KV head")
    if tp <= count:
        return f"dcp {dcp} needs tp above the {heads}, tp is {tp}"
    if dcp > tp // count:
        return f"dcp {dcp} exceeds the {tp // count} ranks that share a KV head (tp {tp}, {heads})"
    queries = (model.num_attention_heads or count) // count
    if queries % dcp:
        return f"dcp {dcp} does not divide the {queries} query heads of a KV head"
    return None


def _cure(model: Architecture, tp: int) -> str:
    count = model.num_key_value_heads or 1
    if tp <= count:
        return f"leave dcp out, or use tp {2 * count} with dcp 2"
    queries = (model.num_attention_heads or count) // count
    fitting = [
        size for size in divisors(tp, min(tp // count, LARGEST_SIZE)) if size > 1 and queries % size == 0
    ]
    return f"use dcp {choice_text(fitting)}" if fitting else "leave dcp out"
