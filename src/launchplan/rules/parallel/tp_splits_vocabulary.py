"""Tensor parallel size does not divide the padded vocabulary.

## Why

vLLM pads the vocabulary to a multiple of 64 and gives each rank the same number of rows. Sizes with a factor
3, 5 or 7 mostly fail here even where the heads divide: 96 heads and tp 12 pass the first check and die in
the worker. SGLang pads to what the size needs and has no such limit.

## Fix

Take a size that divides the padded vocabulary; powers of two up to 64 always do.

## References

- vLLM 0.33.0 `vllm/model_executor/layers/vocab_parallel_embedding.py:111`, `vllm/distributed/utils.py:53`
- SGLang 0.5.23 builds Kimi-K3 (163,840 tokens) with tp 6 and 24
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.cures import tp_cure
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.splits import heads, padded_vocabulary, vocabulary


@rule(
    "PAR116",
    "tp-splits-vocabulary",
    severity=ERROR,
    engines=("vllm",),
    source="vllm/model_executor/layers/vocab_parallel_embedding.py:111 (0.33.0)",
    at="worker",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the padded vocabulary with the ranks that share it."""
    model, size = pool.architecture, pool.parallel.tp
    if model is None or model.vocab_size is None or not model.known:
        return
    if vocabulary(model, size) or not heads(model, size):
        return  # heads that do not split are PAR101, and refused earlier
    rows = padded_vocabulary(model.vocab_size)
    padded = "" if rows == model.vocab_size else f", padded to {rows}"
    message = f"tp {size} does not divide the vocabulary of {model.vocab_size}{padded}"
    yield Violation(message, pool.path("parallel", "tp"), tp_cure(pool))
