"""A slice of a dense layer is no whole number of FP8 blocks.

## Why

Block-scaled FP8 weights carry one scale a block, 128 x 128 as a rule. A rank's slice of a dense MLP or of a
shared expert must hold whole blocks: width / tp must be a multiple of the block. DeepSeek's dense layers are
18432 wide, which is 576 at tp 32. Layers that the checkpoint leaves unquantized do not count.

## Fix

A smaller `tp` with pipeline stages. SGLang's `moe-dense-tp-size: 1` under `args` keeps the dense layers
whole.

## References

- vLLM 0.33.0 `vllm/model_executor/layers/quantization/utils/fp8_utils.py:1324`, `:1340`
- SGLang 0.5.23 `layers/quantization/fp8.py:594-606`
"""

from __future__ import annotations

from collections.abc import Iterator

from launchplan.architecture import Architecture, Quantization
from launchplan.resolve import ResolvedPool
from launchplan.rules.cures import tp_cure
from launchplan.rules.given import quantization, raw_count
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.widths import engine_tp

DENSE = ("mlp.down_proj", "mlp.up_proj", "mlp.gate_proj", "mlp.gate_up_proj")


@rule(
    "PAR118",
    "fp8-blocks-split-layers",
    severity=ERROR,
    source={
        "vllm": "vllm/model_executor/layers/quantization/utils/fp8_utils.py:1324, 1340 (0.33.0)",
        "sglang": "sglang/srt/layers/quantization/fp8.py:594-606 (0.5.23)",
    },
    at="worker",
)
def check(pool: ResolvedPool) -> Iterator[Violation]:
    """Compare the slices of dense layers with the blocks that the weights are scaled by."""
    model, stored, size = pool.architecture, quantization(pool.deployment), engine_tp(pool)
    block = block_of(stored)
    if model is None or stored is None or block is None or size == 1:
        return
    for width, what in _layers(pool, model, stored):
        if width % size == 0 and width // size % block:
            message = (
                f"{what} {width} wide / tp {size} = {width // size}, no multiple of the FP8 block {block}"
            )
            cure = tp_cure(pool, lambda tp, width=width: width % (tp * block) == 0)  # type: ignore[misc]
            yield Violation(message, pool.path("parallel", "tp"), cure)
            return


def block_of(stored: Quantization | None) -> int | None:
    """Give the block size of block-scaled FP8 weights; None for other formats and for blocks not square."""
    if stored is None or stored.method != "fp8" or stored.format != "fp8" or not stored.weight_block_size:
        return None
    sizes = {*stored.weight_block_size}
    return sizes.pop() if len(sizes) == 1 and min(sizes) > 0 else None


def _layers(pool: ResolvedPool, model: Architecture, stored: Quantization) -> Iterator[tuple[int, str]]:
    whole = pool.deployment.engine == "sglang" and raw_count(pool, "moe_dense_tp_size") == 1
    unquantized = any(name in pattern for pattern in stored.ignore for name in DENSE)
    if model.dense_intermediate_size is not None and not whole and not unquantized:
        yield model.dense_intermediate_size, "dense layers"
    shared = model.moe.shared_intermediate_size if model.moe else None
    # SGLang may fuse the shared expert with the routed ones, which it then places whole.
    if shared is None or pool.deployment.engine != "vllm":
        return
    if not any("shared_expert" in name and not name.endswith("gate") for name in stored.ignore):
        yield shared, "shared experts"
