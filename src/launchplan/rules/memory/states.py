"""Blocks that recurrent state takes in vLLM's pool, against the requests of the largest batch."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines import EngineView
from launchplan.memory.capacity import Count, RankMemory
from launchplan.rules.vllm import settled


@dataclass(frozen=True, slots=True)
class StateBlocks:
    """How many blocks there are, and how many requests want one."""

    blocks: Count
    requests: int


def state_blocks(view: EngineView, memory: RankMemory) -> StateBlocks | None:
    """Give both; None for a model without recurrent layers, and without full CUDA graphs."""
    own, model, blocks = settled(view), view.architecture, memory.capacity.blocks
    if own is None or model is None or not model.is_hybrid or blocks is None:
        return None
    requests, mode = own.settings.max_num_seqs, own.settings.cudagraph_mode or ""
    return StateBlocks(blocks, requests) if requests is not None and "FULL" in mode else None
