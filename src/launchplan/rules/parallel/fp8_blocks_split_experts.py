"""A slice of an expert is no whole number of FP8 blocks.

## Why

Block-scaled FP8 experts that are cut over ranks must keep whole blocks: width / ranks a multiple of 128.
SGLang refuses anything else before Blackwell, where other kernels run. vLLM 0.33.0 cuts the blocks finer,
down to 32, if a GPU has FP8 units (compute capability 8.9 and up); below 32 it refuses too. For older vLLM
releases only slices below 32 are reported: when the finer blocks came is not known.

## Fix

Expert parallelism keeps experts whole. Otherwise a smaller `tp`.

## References

- vLLM 0.33.0 `vllm/model_executor/layers/fused_moe/oracle/fp8.py:292-321`, `:546`,
  `quantization/utils/fp8_utils.py:1362`
- SGLang 0.5.23 `layers/quantization/fp8.py:1588-1600`
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from launchplan.resolve import ResolvedPool
from launchplan.rules.cures import LARGEST_SIZE, working_tp
from launchplan.rules.given import quantization
from launchplan.rules.parallel.fp8_blocks_split_layers import block_of
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.versions import reaches
from launchplan.rules.widths import engine_tp, expert_tp

FINEST_BLOCK = 32
FINER_BLOCKS_SINCE = "0.33.0"
FP8_UNITS = (8, 9)
BLACKWELL = (10, 0)


@rule(
    "PAR121",
    "fp8-blocks-split-experts",
    severity=ERROR,
    source={
        "vllm": "vllm/model_executor/layers/fused_moe/oracle/fp8.py:292-321, 546 (0.33.0)",
        "sglang": "sglang/srt/layers/quantization/fp8.py:1588-1600 (0.5.23)",
    },
    at="worker",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the slices of experts with the blocks that the weights are scaled by."""
    block = block_of(quantization(pool.deployment))
    moe, parts = pool.architecture.moe if pool.architecture else None, expert_tp(pool)
    if (
        moe is None
        or moe.intermediate_size is None
        or block is None
        or not parts
        or moe.intermediate_size % parts
    ):
        return
    part = moe.intermediate_size // parts
    if part % block == 0 or _finer_blocks(pool, part, block):
        return
    message = (
        f"experts {moe.intermediate_size} wide / {parts} ranks = {part}, no multiple of the FP8 block {block}"
    )
    yield Violation(message, pool.path("parallel", "tp"), _cure(pool, moe.intermediate_size, block))


def _finer_blocks(pool: ResolvedPool, part: int, block: int) -> bool:
    """Tell whether the engine takes slices that are no whole blocks, or may do so."""
    capability = pool.gpu.capability if pool.gpu else None
    if pool.deployment.engine == "sglang":
        return capability is None or capability >= BLACKWELL
    hidden = pool.architecture.hidden_size if pool.architecture else None
    if math.gcd(block, part, hidden or 0) < FINEST_BLOCK:
        return False
    if capability is None or not reaches(pool.deployment.version, FINER_BLOCKS_SINCE):
        return True
    return capability >= FP8_UNITS


def _cure(pool: ResolvedPool, width: int, block: int) -> str:
    if pool.deployment.engine == "vllm":
        return f"use ep {pool.parallel.tp * pool.parallel.dp}, which keeps experts whole"
    size = engine_tp(pool)
    whole = [
        ep
        for ep in range(2, min(size, LARGEST_SIZE) + 1)
        if size % ep == 0 and width % (size // ep * block) == 0
    ]
    smaller = [tp for tp in working_tp(pool) if tp < size and width % (tp * block) == 0]
    words = [f"ep {whole[0]}"] if whole else []
    words += [f"tp {smaller[-1]}"] if smaller and pool.parallel.dp == 1 else []
    return f"use {' or '.join(words)}" if words else "use fewer ranks"
