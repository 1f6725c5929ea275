"""How many CUDA graphs vLLM captures: one for each batch size, kind of batch and kind of adapters.

vLLM 0.33.0 v1/cudagraph_dispatcher.py (initialize_cudagraph_keys) and v1/worker/gpu/cudagraph_utils.py
(_init_candidates): mixed batches of every size; where decoding has a graph of its own, decode batches of the
sizes that so many requests reach.
"""

from __future__ import annotations

from collections.abc import Sequence

_MIXED = frozenset({"PIECEWISE", "FULL", "FULL_AND_PIECEWISE"})
_DECODING_APART = frozenset({"FULL_DECODE_ONLY", "FULL_AND_PIECEWISE"})
_MEDIUM, _LARGE = 8, 256
"""From these sizes on steps are of 8, and of 16 or 8."""


def capture_sizes(largest: int, *, step: int = 16) -> tuple[int, ...]:
    """List the batch sizes that vLLM captures by itself up to the largest (config/vllm.py, 0.33.0).

    `step` is that of large batches: 8 up to 0.11.0.
    """
    every = (1, 2, 4, *range(_MEDIUM, _LARGE, 8), *range(_LARGE, largest + 1, step))
    return tuple(size for size in every if size <= largest)


def captured_graphs(
    mode: str, sizes: Sequence[int], requests: int, *, tokens: int = 1, kinds: int = 1
) -> int:
    """Count the graphs of a mode.

    `tokens` are those of a request that decodes, drafts included; `kinds` are 2 with adapters: graphs are
    captured with and without them.
    """
    mixed = len(sizes) if mode in _MIXED else 0
    decode = sum(tokens <= size <= requests * tokens for size in sizes) if mode in _DECODING_APART else 0
    return (mixed + decode) * kinds
