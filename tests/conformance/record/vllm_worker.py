"""vLLM as far as a worker's model: the real class of a rank, on torch's meta device.

Groups are arithmetic only: which ranks belong together is the engine's own, nothing is connected. What the
worker does before (does its GPU exist) and after (weights, memory, kernels) is not asked.
"""

from __future__ import annotations

import importlib
from typing import Any

from tests.conformance.record.pretend import answer
from tests.conformance.record.processes import Hollow, on_meta, unconnected

_GROUPS = (
    "_TP",
    "_ETP",
    "_ENGRAM_DP",
    "_DCP",
    "_PCP",
    "_PP",
    "_DP",
    "_EP",
    "_EPLB",
    "_WORLD",
    "_INNER_DP_WORLD",
)


def build(config: Any) -> None:
    """Construct the model of the first and of the last rank; raises what the engine raises."""
    parallel = config.parallel_config
    world = parallel.world_size_across_dp
    for rank in sorted({0, world - 1}):
        _build_rank(config, rank, world)


def _build_rank(config: Any, rank: int, world: int) -> None:
    state = _module("vllm.distributed.parallel_state")
    parallel = config.parallel_config
    _pretend_processes(rank, world)
    for name in _GROUPS:
        setattr(state, name, None)
    group = unconnected(state.GroupCoordinator, rank)
    answer(state, {"init_model_parallel_group": group})
    state._WORLD = state._INNER_DP_WORLD = group([list(range(world))], rank, group_name="world")
    state._NODE_COUNT = parallel.nnodes
    config.compilation_config.static_forward_context.clear()  # layers of the rank before
    dtype = _module("vllm.utils.torch_utils").set_default_torch_dtype(config.model_config.dtype)
    with _module("vllm.config").set_current_vllm_config(config):
        state.initialize_model_parallel(
            parallel.tensor_parallel_size,
            parallel.pipeline_parallel_size,
            parallel.prefill_context_parallel_size,
            parallel.decode_context_parallel_size,
        )
        with dtype, on_meta(_module("torch")):
            _module("vllm.model_executor.model_loader.utils").initialize_model(config)


def _pretend_processes(rank: int, world: int) -> None:
    """Answer as one of the processes of a launch that has come together."""
    torch = _module("torch")
    answer(torch.distributed, {
        "is_initialized": True, "get_rank": rank, "get_world_size": world, "get_backend": "nccl", "barrier": None,
    })  # fmt: skip
    answer(torch.cuda, {"Stream": Hollow, "Event": Hollow, "current_stream": Hollow})
    experts = _module("vllm.model_executor.layers.fused_moe.expert_map_manager")
    answer(
        experts.ExpertMapManager, {"get_compressed_map_string": ""}
    )  # for the log, of values that aren't there


def _module(name: str) -> Any:
    return importlib.import_module(name)
