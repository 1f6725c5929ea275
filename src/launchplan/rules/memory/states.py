"""Blocks that recurrent state takes in vLLM's pool, against the requests of the largest batch."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.engines import EngineView
from launchplan.engines.vllm.past import requests_of
from launchplan.engines.vllm.settings.reading import mapping, on
from launchplan.engines.vllm.view import VllmView
from launchplan.memory.capacity import Count, RankMemory
from launchplan.rules.versions import reaches
from launchplan.rules.vllm import settled

COMPARED_SINCE = "0.18.0"
"""First release that was seen to compare them (vllm-project/recipes pull request 551 and others)."""
GRAPH_KEYS = frozenset({"mode", "level", "use_cudagraph", "full_cuda_graph"})
"""Keys of `--compilation-config` that may leave no full graphs, where `cudagraph_mode` is not said."""


@dataclass(frozen=True, slots=True)
class StateBlocks:
    """How many blocks there are, and how many requests want one."""

    blocks: Count
    requests: int


def state_blocks(view: EngineView, memory: RankMemory) -> StateBlocks | None:
    """Give both; None for a model without recurrent layers, and without full CUDA graphs."""
    own, model, blocks = settled(view), view.architecture, memory.capacity.blocks
    if model is None or not model.is_hybrid or blocks is None:
        return None
    if own is None:
        requests = _past_requests(view)
        return StateBlocks(blocks, requests) if requests is not None else None
    requests, mode = own.settings.max_num_seqs, own.settings.cudagraph_mode or ""
    return StateBlocks(blocks, requests) if requests is not None and "FULL" in mode else None


def _past_requests(view: EngineView) -> int | None:
    """Give the largest batch of an older release that makes full graphs; None where it may make none."""
    release = view.pool.deployment.version
    if not isinstance(view, VllmView) or view.settings.known or not reaches(release, COMPARED_SINCE):
        return None
    if on(view, "enforce_eager"):
        return None
    config = mapping(view, "compilation_config") or {}
    mode = config.get("cudagraph_mode")
    full = "FULL" in str(mode).upper() if mode is not None else not GRAPH_KEYS & {*config}
    return requests_of(view) if full else None
