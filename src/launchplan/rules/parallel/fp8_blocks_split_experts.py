"""A slice of an expert is no whole number of FP8 blocks.

## Why

Block-scaled FP8 experts that are cut over ranks must keep whole blocks: width / ranks a multiple of 128.
SGLang refuses anything else unless its MoE runner pads the slices, which FlashInfer's TRT-LLM runner does; it
holds DeepSeek-V4's four-bit experts to the same block. vLLM 0.33.0 cuts the blocks finer,
down to 32, if a GPU has FP8 units (compute capability 8.9 and up); below 32 it refuses too. For older vLLM
releases only slices below 32 are reported: when the finer blocks came is not known.

## Fix

Expert parallelism keeps experts whole. Otherwise a smaller `tp`.

## References

- vLLM 0.33.0 `vllm/model_executor/layers/fused_moe/oracle/fp8.py:292-321`, `:546`,
  `quantization/utils/fp8_utils.py:1362`
- SGLang 0.5.23 `layers/quantization/fp8.py:1588-1600`, `layers/moe/fused_moe_triton/layer.py:514`,
  `layers/quantization/mxfp4_flashinfer_cutlass_moe.py:69`
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from launchplan.architecture import Quantization
from launchplan.engines.sglang.view import SglangView
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.experts import asked_backend
from launchplan.rules.cures import LARGEST_SIZE, working_tp
from launchplan.rules.given import quantization
from launchplan.rules.parallel.fp8_blocks_split_layers import block_of
from launchplan.rules.rule import ERROR, Violation, rule
from launchplan.rules.sizes import sizes_of
from launchplan.rules.versions import reaches

FINEST_BLOCK = 32
FOUR_BIT_EXPERTS = "deepseek_v4"
FINER_BLOCKS_SINCE = "0.33.0"
FP8_UNITS = (8, 9)
BLACKWELL = 10
PADDING_RUNNERS = frozenset({"flashinfer_trtllm", "flashinfer_trtllm_routed"})
"""MoE runners for which SGLang pads the slices (`layers/moe/fused_moe_triton/layer.py:514`)."""


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
def check(view: EngineView) -> Iterator[Violation]:
    """Compare the slices of experts with the blocks that the weights are scaled by."""
    block, parts = _block(view, quantization(view.pool.deployment)), sizes_of(view).experts
    moe = view.architecture.moe if view.architecture else None
    if (
        moe is None
        or moe.intermediate_size is None
        or block is None
        or not parts
        or moe.intermediate_size % parts
    ):
        return
    part = moe.intermediate_size // parts
    if part % block == 0 or _finer_blocks(view, part, block):
        return
    message = (
        f"experts {moe.intermediate_size} wide / {parts} ranks = {part}, no multiple of the FP8 block {block}"
    )
    yield Violation(message, view.pool.path("parallel", "tp"), _cure(view, moe.intermediate_size, block))


def _block(view: EngineView, stored: Quantization | None) -> int | None:
    """Give the block; SGLang holds DeepSeek-V4's experts to that of the FP8 layers (`fp8.py:1589`)."""
    if isinstance(view, SglangView) and stored is not None and set(stored.formats) == {"mxfp4", "fp8"}:
        sizes = {*(stored.weight_block_size or ())}
        return sizes.pop() if len(sizes) == 1 else None
    return block_of(stored)


def _finer_blocks(view: EngineView, part: int, block: int) -> bool:
    """Tell whether the engine takes slices that are no whole blocks, or may do so."""
    capability = view.gpu.capability if view.gpu else None
    if isinstance(view, SglangView):
        return _sglang_pads(view)
    hidden = view.architecture.hidden_size if view.architecture else None
    if asked_backend(view) and _padded(view, block):
        return True
    if math.gcd(block, part, hidden or 0) < FINEST_BLOCK:
        return False
    if capability is None or not reaches(view.pool.deployment.version, FINER_BLOCKS_SINCE):
        return True
    return capability >= FP8_UNITS


def _sglang_pads(view: SglangView) -> bool:
    """Tell whether SGLang's experts are padded to whole blocks; also when the runner is not known."""
    capability, runner = view.gpu.capability if view.gpu else None, view.settings.moe_runner_backend
    if runner in PADDING_RUNNERS or not view.settings.complete or capability is None:
        return True
    if view.architecture is None or view.architecture.family != FOUR_BIT_EXPERTS:
        return False
    return runner in {"marlin", "humming"} or (runner == "flashinfer_mxfp4" and capability[0] == BLACKWELL)


def _padded(view: EngineView, block: int) -> bool:
    """Tell whether vLLM pads the slices: with a backend named, whole experts of whole blocks, no LoRA."""
    model = view.architecture
    width = model.moe.intermediate_size if model and model.moe else None
    whole = (
        width is not None and width % block == 0 and (model.hidden_size or 1) % block == 0 if model else False
    )
    return whole and sizes_of(view).expert_groups == 1 and not view.arguments["enable_lora"]


def _cure(view: EngineView, width: int, block: int) -> str:
    pool = view.pool
    if view.engine == "vllm":
        return f"use ep {pool.parallel.tp * pool.parallel.dp}, which keeps experts whole"
    size = sizes_of(view).engine
    whole = [
        ep
        for ep in range(2, min(size, LARGEST_SIZE) + 1)
        if size % ep == 0 and width % (size // ep * block) == 0
    ]
    smaller = [tp for tp in working_tp(pool) if tp < size and width % (tp * block) == 0]
    words = [f"ep {whole[0]}"] if whole else []
    words += [f"tp {smaller[-1]}"] if smaller and pool.parallel.dp == 1 else []
    return f"use {' or '.join(words)}" if words else "use fewer ranks"
