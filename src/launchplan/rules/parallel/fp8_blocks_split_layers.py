"""A slice of a dense layer is no whole number of FP8 blocks.

## Why

Block-scaled FP8 weights carry one scale a block, 128 x 128 as a rule. A rank's slice of a dense MLP or of
a shared expert must hold whole blocks: width / tp must be a multiple of the block, also at tp 1, since
gate and up are one matrix. DeepSeek's dense layers are 18432 wide, which is 576 at tp 32. Layers that the
checkpoint leaves unquantized do not count.

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
from launchplan.engines.view import EngineView
from launchplan.rules.cures import tp_cure
from launchplan.rules.given import quantization
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sizes import sizes_of

BLOCK_METHODS = frozenset({"fp8", "compressed-tensors"})
SEPARATE_SHARED = frozenset({"step3"})
"""Families whose shared expert SGLang keeps apart (`models/step3p5.py`), and splits."""
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
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the slices of dense layers with the blocks that the weights are scaled by."""
    pool, model, size = view.pool, view.architecture, sizes_of(view).dense
    stored = quantization(pool.deployment)
    block = block_of(stored)
    if model is None or stored is None or block is None:
        return
    for width, what in _layers(view, model, stored):
        if width % size == 0 and width // size % block:
            message = (
                f"{what} {width} wide / tp {size} = {width // size}, no multiple of the FP8 block {block}"
            )
            cure = tp_cure(pool, lambda tp, width=width: width % (tp * block) == 0)  # type: ignore[misc]
            yield Violation(message, pool.path("parallel", "tp"), cure)
            return


def block_of(stored: Quantization | None) -> int | None:
    """Give the block size of block-scaled FP8 weights; None for other formats and for blocks not square."""
    if stored is None or stored.method not in BLOCK_METHODS or stored.format != "fp8":
        return None
    if not stored.weight_block_size:
        return None
    sizes = {*stored.weight_block_size}
    return sizes.pop() if len(sizes) == 1 and min(sizes) > 0 else None


def _layers(view: EngineView, model: Architecture, stored: Quantization) -> Iterator[tuple[int, str]]:
    unquantized = any(name in pattern for pattern in stored.ignore for name in DENSE)
    if model.dense_intermediate_size is not None and not unquantized:
        yield model.dense_intermediate_size, "dense layers"
    shared = model.moe.shared_intermediate_size if model.moe else None
    # SGLang may fuse the shared expert with the routed ones, which it then places whole.
    if shared is None or (view.engine != "vllm" and model.family not in SEPARATE_SHARED):
        return
    if not any("shared_expert" in name and not name.endswith("gate") for name in stored.ignore):
        yield shared, "shared experts"
