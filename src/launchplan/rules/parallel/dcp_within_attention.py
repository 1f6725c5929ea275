"""Decode context parallelism wider than the attention group.

## Why

SGLang accepts any `--dcp-size` that divides `--tp-size`. With attention data parallelism the heads of one
request sit on only tp of the tp x dp ranks; groups that reach beyond hold caches of different requests.

## Fix

Take a `dcp` that divides `tp`.

## References

- SGLang 0.5.23 `distributed/parallel_state.py:2719` (groups are neighbours of the tensor parallel group);
  only elastic expert parallelism checks it, `arg_groups/parallel_hook.py:685`. Inferred, not seen to fail
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.cures import divisor_cure
from launchplan.rules.rule import WARNING, Violation, rule
from launchplan.rules.widths import engine_tp


@rule(
    "PAR120",
    "dcp-within-attention",
    severity=WARNING,
    engines=("sglang",),
    source="sglang/srt/distributed/parallel_state.py:2719 (0.5.23)",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the decode context parallel size with the attention group."""
    tp, dcp = pool.parallel.tp, pool.parallel.dcp
    if engine_tp(pool) == tp or engine_tp(pool) % dcp or tp % dcp == 0:
        return
    message = f"dcp {dcp} reaches beyond the {tp} attention ranks of a data parallel rank"
    yield Violation(message, pool.path("parallel", "dcp"), divisor_cure("dcp", dcp, tp, tp))
